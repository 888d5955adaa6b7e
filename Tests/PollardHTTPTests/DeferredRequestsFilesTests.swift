// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What of deferred requests is on the disk, and what becomes of it.
@Suite struct DeferredRequestsFilesTests {
    private let outbox: Outbox

    init() throws { outbox = try Outbox() }

    @Test func `Credentials are not on the disk, and a repeat has the same key`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        var request = HTTPRequest.note("a")
        request.fields = [
            "Authorization": "Bearer s3cret", "Cookie": "s3cret", "X-Api-Key": "s3cret",
            "X-Mine": "s3cret",
        ]
        request.credentialFields = ["x-mine"]
        let down = StubTransport.down()
        _ = try await queue.send(request, using: down)
        #expect(try outbox.files().count == 1)
        #expect(try !outbox.contains("s3cret"))
        let up = StubTransport.up()
        try await queue.replay(using: up)
        // The first attempt had them.
        #expect(down.requests[0].fields["Authorization"] == "Bearer s3cret")
        #expect(up.requests[0].fields["Authorization"] == nil)
        let key = try #require(up.requests[0].fields["Idempotency-Key"])
        #expect(key == down.requests[0].fields["Idempotency-Key"])
        #expect(key.count == 38 && key.hasPrefix("\"") && key.hasSuffix("\""))
    }

    @Test func `A key of the caller stays, and what changes nothing gets none`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        var own = HTTPRequest.note("a")
        own.fields["Idempotency-Key"] = "\"mine\""
        #expect(try await queue.append(own).request.fields["Idempotency-Key"] == "\"mine\"")
        let get = HTTPRequest(url: "https://h/")
        #expect(try await queue.append(get).request.fields["Idempotency-Key"] == nil)
    }

    @Test func `A request that can't be sent is not kept`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        await #expect(throws: NetworkError.self) {
            try await queue.append(HTTPRequest(url: "ftp://h/"))
        }
        await #expect(throws: NetworkError.self) {
            try await queue.append(HTTPRequest(url: "https://h/", fields: ["a b": "c"]))
        }
        let upload = await #expect(throws: NetworkError.self) {
            var request = HTTPRequest(url: "https://h/", method: .put)
            request.upload = .file("/etc/hostname")
            try await queue.append(request)
        }
        #expect(
            upload?.description
                == "an upload from files can't be deferred, since they may change; send a body")
        #expect(await queue.pending.isEmpty)
    }

    @Test func `A full queue says so and keeps what it has`() async throws {
        var limits = DeferredRequests.Limits()
        limits.maximumCount = 2
        limits.maximumBytes = 2000
        let queue = try DeferredRequests(directory: outbox.path, limits: limits)
        let hint = "replay it, drop failed requests, or raise its limits"
        try await queue.append(.note("a"))
        let large = await #expect(throws: NetworkError.self) {
            try await queue.append(.note(String(repeating: "x", count: 2000)))
        }
        #expect(large?.code == .queueFull)
        #expect(
            large?.description
                == "the queue of deferred requests '\(outbox.path)' is full: its requests would take more "
                + "than 2000 bytes; \(hint)")
        try await queue.append(.note("b"))
        let third = await #expect(throws: NetworkError.self) {
            try await queue.send(.note("c"), using: StubTransport.down())
        }
        #expect(
            third?.description
                == "the queue of deferred requests '\(outbox.path)' is full: 2 requests wait; \(hint)"
        )
        #expect(await queue.pending.map { $0.request.text } == ["a", "b"])
    }

    @Test func `Requests outlive the queue object, with their state`() async throws {
        let kept: [DeferredRequest]
        do {
            let queue = try DeferredRequests(directory: outbox.path)
            for name in ["a", "b", "c"] { try await queue.append(.note(name)) }
            let stub = StubTransport(
                .success(HTTPResponse(status: 404)), .failure(NetworkError(.connect, "it is down")))
            try await queue.replay(using: stub)
            kept = await queue.pending + queue.failed
        }
        let again = try DeferredRequests(directory: outbox.path)
        #expect(await again.pending + again.failed == kept)
        #expect(kept.map(\.attempts) == [1, 0, 1])
        #expect(try await again.append(.note("d")).id == 4)
    }

    @Test func `A second queue of the same directory is refused`() throws {
        let queue = try DeferredRequests(directory: outbox.path)
        defer { withExtendedLifetime(queue) {} }
        let error = #expect(throws: NetworkError.self) {
            try DeferredRequests(directory: outbox.path)
        }
        #expect(
            error?.description
                == "the queue of deferred requests '\(outbox.path)' is in use by another process or "
                + "object; give each a directory of its own")
    }

    @Test
    func `A child that is just being made does not keep the directory of a queue that is gone`()
        throws
    {
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        do {
            let queue = try DeferredRequests(directory: outbox.path)
            defer { withExtendedLifetime(queue) {} }
            // What a child has between fork and exec: a copy of each descriptor.
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let link = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(name)")
                guard link == "\(outbox.path)/lock", let number = Int32(name) else { continue }
                copies.append(fcntl(number, F_DUPFD_CLOEXEC, 0))
            }
        }
        #expect(!copies.isEmpty)
        _ = try DeferredRequests(directory: outbox.path)
    }

    @Test func `A damaged file is set aside, and the others are sent`() async throws {
        do {
            let queue = try DeferredRequests(directory: outbox.path)
            for name in ["a", "b", "c"] { try await queue.append(.note(name)) }
        }
        let second = try outbox.files()[1]
        try outbox.damage(second)
        let queue = try DeferredRequests(directory: outbox.path)
        #expect(await queue.damagedFiles == ["\(second).damaged"])
        let up = StubTransport.up()
        try await queue.replay(using: up)
        #expect(up.requests.map(\.text) == ["a", "c"])
        #expect(try outbox.files() == ["\(second).damaged"])
    }

    @Test func `A second damaged file does not take the place of the first`() async throws {
        for number in 1...3 {
            let queue = try DeferredRequests(directory: outbox.path)
            let id = try await queue.append(.note("note \(number)")).id
            #expect(id == UInt64(number))
            try outbox.damage(DeferredFileName.make(id, DeferredFileName.request))
        }
        let queue = try DeferredRequests(directory: outbox.path)
        let damaged = (1...3).map { "0000000000000000000\($0).request.damaged" }
        #expect(await queue.damagedFiles == damaged)
        #expect(try outbox.files() == damaged)
        #expect(try outbox.contains("note 1"))
    }

    @Test func `A damaged file gets a name that is not taken`() async throws {
        let names =
            [DeferredFileName.make(1, DeferredFileName.request)]
            + ["", ".2"].map {
                "\(DeferredFileName.make(1, DeferredFileName.request))\($0).damaged"
            }
        for name in names { try outbox.directory.write("from elsewhere", to: "outbox/\(name)") }
        #expect(unsafe chmod(outbox.path, 0o700) == 0)
        let queue = try DeferredRequests(directory: outbox.path)
        let third = "\(names[0]).3.damaged"
        #expect(await queue.damagedFiles.sorted() == [names[2], third, names[1]])
        #expect(try outbox.files().count == 3)
    }

    // MARK: - A disk that fails

    /// Lets the note of the last number fail, and with it a part of the removal of the first.
    private func failRecording() throws {
        let name = DeferredFileName.make(1, DeferredFileName.last)
        try outbox.directory.write("x", to: "outbox/\(name).draft/in the way")
    }

    @Test(.timeLimit(.minutes(1)))
    func `What was dropped from a disk that fails was sent all the same`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        var events = await queue.events().makeAsyncIterator()
        let kept = try await queue.append(.note("a"))
        try failRecording()
        let error = await #expect(throws: NetworkError.self) { try await queue.drop(1) }
        #expect(error?.code == .storage)
        #expect(try outbox.files().isEmpty)
        let up = StubTransport.up()
        #expect(try await queue.replay(using: up).delivered == 0)
        #expect(up.requests.isEmpty)
        #expect(await events.next() == .deferred(kept))
        #expect(await events.next() == .dropped(kept))
    }

    @Test(.timeLimit(.minutes(1)))
    func `Nobody was told of a request that was sent when the disk failed`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        let kept = try await queue.append(.note("a"))
        var events = await queue.events().makeAsyncIterator()
        try failRecording()
        let error = await #expect(throws: NetworkError.self) {
            try await queue.replay(using: StubTransport.up())
        }
        #expect(error?.code == .storage)
        guard case .delivered(let sent, let response) = await events.next() else {
            Issue.record("nobody was told")
            return
        }
        #expect(sent == kept)
        #expect(response.status == 201)
        #expect(await queue.pending.isEmpty)
    }

    @Test func `A request whose file can't be removed stays`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        let kept = try await queue.append(.note("a"))
        let file = "\(outbox.path)/\(try outbox.files()[0])"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(
            atPath: file, withIntermediateDirectories: false)
        await #expect(throws: NetworkError.self) { try await queue.drop(1) }
        #expect(await queue.pending == [kept])
    }

    @Test func `The number of a request that was sent is not given again`() async throws {
        for number in 1...4 {
            let queue = try DeferredRequests(directory: outbox.path)
            #expect(try await queue.append(.note("a")).id == UInt64(2 * number - 1))
            #expect(try await queue.append(.note("b")).id == UInt64(2 * number))
            try await queue.drop(UInt64(2 * number))
            #expect(try await queue.replay(using: StubTransport.up()).delivered == 1)
            #expect(try outbox.files().isEmpty)
        }
    }

    @Test func `The number of a damaged file that is gone is not given again`() async throws {
        do {
            let queue = try DeferredRequests(directory: outbox.path)
            for name in ["a", "b"] { try await queue.append(.note(name)) }
        }
        try outbox.damage(try outbox.files()[1])
        for name in try await DeferredRequests(directory: outbox.path).damagedFiles {
            try FileManager.default.removeItem(atPath: "\(outbox.path)/\(name)")
        }
        let queue = try DeferredRequests(directory: outbox.path)
        #expect(try await queue.append(.note("c")).id == 3)
    }
}
