// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
@testable import PollardHTTP
import PollardTestSupport
import Testing

/// The cache on a real disk: what outlives what.
@Suite struct ResponseCacheFilesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path(of: "cache") }

    init() throws { directory = try TemporaryDirectory() }

    private func stub(bytes: Int = 100) -> StubTransport {
        StubTransport { request in
            HTTPResponse(
                status: 200, fields: ["Cache-Control": "max-age=1000"],
                body: Array(repeating: 7, count: bytes) + Array(request.url.utf8))
        }
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }.sorted()
    }

    private func send(_ path: String, _ stub: StubTransport, _ cache: ResponseCache) async throws
        -> CacheOutcome?
    {
        try await CachingTransport(stub, cache: cache).send(HTTPRequest(url: "https://h/\(path)"))
            .cacheOutcome
    }

    @Test func `Answers outlive the cache object, in memory or not`() async throws {
        let stub = stub()
        do {
            let cache = try ResponseCache(directory: path)
            #expect(try await send("a", stub, cache) == .miss)
        }
        let again = try ResponseCache(directory: path)
        #expect(await again.statistics.entries == 1)
        #expect(try await send("a", stub, again) == .hit)
        #expect(stub.requests.count == 1)
        try await again.removeAll()
        #expect(try files().isEmpty)
    }

    @Test func `A second cache of the same directory is refused`() throws {
        let cache = try ResponseCache(directory: path)
        defer { withExtendedLifetime(cache) {} }
        let error = #expect(throws: NetworkError.self) { try ResponseCache(directory: path) }
        #expect(error?.code == .storage)
        #expect(
            error?.description
                == "the response cache '\(path)' is in use by another process or object; "
                + "give each a directory of its own")
    }

    @Test func `A directory that can't be made is an error with a hint`() throws {
        let path = directory.path(of: "no/such")
        let error = #expect(throws: NetworkError.self) { try ResponseCache(directory: path) }
        #expect(
            error?.description
                == "cannot make the response cache '\(path)': no such file or directory; "
                + "create the directory above it")
    }

    @Test func `A directory that others may write is refused`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(unsafe chmod(path, 0o770) == 0)
        let error = #expect(throws: NetworkError.self) { try ResponseCache(directory: path) }
        #expect(
            error?.description
                == "the response cache '\(path)' can be written by other users; "
                + "give it an owner and mode 0700")
        let file = try directory.write("", to: "file")
        let none = #expect(throws: NetworkError.self) { try ResponseCache(directory: file) }
        #expect(
            none?.description == "cannot open the response cache '\(file)': not a directory")
    }

    @Test func `Files are for their owner only`() async throws {
        let cache = try ResponseCache(directory: path)
        _ = try await send("a", stub(), cache)
        for name in try files().map({ "\(path)/\($0)" }) + ["\(path)/lock", path] {
            var status = stat()
            #expect(unsafe lstat(name, &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
    }

    @Test(arguments: [0, 10, 200]) func `A file that was cut is a miss, and goes`(
        count: Int
    ) async throws {
        let stub = stub()
        do { _ = try await send("a", stub, ResponseCache(directory: path)) }
        let file = try #require(try files().first)
        try directory.write(directory.read("cache/\(file)").prefix(count), to: "cache/\(file)")
        let cache = try ResponseCache(directory: path)
        #expect(try await send("a", stub, cache) == .miss)
        #expect(await cache.statistics.discarded == 1)
        #expect(try await send("a", stub, cache) == .hit)
        #expect(try files() == [file])
    }

    @Test func `Files of others are left alone, drafts are not`() async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        try directory.write("mine", to: "cache/notes.txt")
        try directory.write("half", to: "cache/0000000000000001-0000000000000002.draft")
        let cache = try ResponseCache(directory: path)
        #expect(await cache.statistics.entries == 0)
        try await cache.removeAll()
        #expect(try files() == ["notes.txt"])
    }

    @Test func `Both limits are kept, by what was used last`() async throws {
        var configuration = ResponseCache.Configuration()
        configuration.memoryBytes = 25_000
        configuration.diskBytes = 55_000
        let stub = stub(bytes: 10_000)
        let cache = try ResponseCache(directory: path, configuration: configuration)
        for name in ["a", "b", "c", "d", "e"] {
            _ = try await send(name, stub, cache)
            #expect(try await send("a", stub, cache) == .hit)
        }
        _ = try await send("f", stub, cache)
        let statistics = await cache.statistics
        #expect(statistics.entries == 5)
        #expect(statistics.evictions == 1)
        #expect(statistics.diskBytes <= 55_000)
        #expect(statistics.memoryBytes <= 25_000)
        #expect(try files().count == 5)
        #expect(try await send("a", stub, cache) == .hit)
        #expect(try await send("b", stub, cache) == .miss)
    }

    @Test func `A smaller limit applies to what is there already`() async throws {
        let stub = stub(bytes: 10_000)
        do {
            let cache = try ResponseCache(directory: path)
            for name in ["a", "b", "c"] { _ = try await send(name, stub, cache) }
        }
        var configuration = ResponseCache.Configuration()
        configuration.diskBytes = 15_000
        let cache = try ResponseCache(directory: path, configuration: configuration)
        #expect(await cache.statistics.entries == 1)
        #expect(try files().count == 1)
    }

    @Test func `An answer above the limit for one is not kept`() async throws {
        var configuration = ResponseCache.Configuration()
        configuration.maximumEntryBytes = 5000
        let stub = stub(bytes: 5000)
        let cache = try ResponseCache(directory: path, configuration: configuration)
        _ = try await send("a", stub, cache)
        #expect(try await send("a", stub, cache) == .miss)
        #expect(try files().isEmpty)
    }

    @Test func `Many variants of one URL push out what was not used for longest`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=999", "Vary": "A"])
        }
        let cache = try ResponseCache(directory: path)
        let transport = CachingTransport(stub, cache: cache)
        func outcome(_ number: Int) async throws -> CacheOutcome? {
            try await transport.send(HTTPRequest(url: "https://h/", fields: ["A": "\(number)"]))
                .cacheOutcome
        }
        let most = CacheTiers.maximumVariants
        for number in 1...most { #expect(try await outcome(number) == .miss) }
        // Used now, it is not what was not used for longest.
        #expect(try await outcome(1) == .hit)
        #expect(try await outcome(most + 1) == .miss)
        #expect(try await outcome(1) == .hit)
        #expect(try await outcome(2) == .miss)
        #expect(try files().count == most)
        #expect(await cache.statistics.evictions == 2)
    }

    @Test func `Seventeen users of one URL in turn had no hit at all`() async throws {
        let stub = StubTransport { request in
            HTTPResponse(
                status: 200, fields: ["Cache-Control": "max-age=999"],
                body: Array((request.fields["Authorization"] ?? "").utf8))
        }
        let cache = try ResponseCache(directory: path)
        let transport = CachingTransport(stub, cache: cache)
        for _ in 1...3 {
            for number in 1...17 {
                let user = "Bearer \(number)"
                let response = try await transport.send(
                    HTTPRequest(url: "https://h/", fields: ["Authorization": user]))
                #expect(response.body == Array(user.utf8))
            }
        }
        #expect(stub.requests.count == 17)
    }

    @Test func `No secret of a request is in the files`() async throws {
        let request = HTTPRequest(
            url: "https://h/",
            fields: [
                "Authorization": "Bearer s3cret", "Cookie": "sid=s3cret", "X": "s3cret",
                "X-Api-Key": "s3cret",
            ])
        let stub = StubTransport { _ in
            HTTPResponse(
                status: 200,
                fields: ["Cache-Control": "max-age=999", "Vary": "Cookie, X-Api-Key, X-Other"])
        }
        let cache = try ResponseCache(directory: path)
        _ = try await CachingTransport(stub, cache: cache).send(request)
        let file = try #require(try files().first)
        let text = String(decoding: try directory.read("cache/\(file)"), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("x-other"))
        // One-way: SHA-256 of names and values, each with its length before it.
        #expect(text.contains(CacheKey.credentials(of: request)))
        #expect(CacheKey.credentials(of: request).count == 64)
    }

    @Test func `A disk that refuses to write fails no request`() async throws {
        let cache = try ResponseCache(directory: path)
        // Root may write anywhere: a directory of the file's name can't be replaced by anyone.
        let stub = stub()
        _ = try await send("a", stub, cache)
        let file = try #require(try files().first)
        try await cache.removeAll()
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(file)/x", withIntermediateDirectories: true)
        #expect(try await send("a", stub, cache) == .miss)
        let error = try #require(await cache.statistics.lastError)
        #expect(error.code == .storage)
        #expect(error.description == "cannot write '\(path)/\(file)': is a directory")
        #expect(try await send("a", stub, cache) == .hit)
        let removal = await #expect(throws: NetworkError.self) { try await cache.removeAll() }
        #expect(removal?.description == "cannot remove '\(path)/\(file)': is a directory")
    }

    // MARK: - Crashes

    @Test(arguments: ["write PLCACHE2", "rename cache/"])
    func `A crash while an answer is written leaves those before it`(call: String) async throws {
        let library = try await TestProgram.trip.compiled()
        let trip = Trip(.kill, at: call, call, call)
        let run = try await Subprocess.run(
            ProjectFiles.executable("http-probe"), ["cache", path, "10"],
            environment: trip.environment(library: library))
        #expect(run.status == .signalled(SIGKILL))
        #expect(run.outputText == "stored 1\nstored 2\n")
        try await expectComplete(count: 2)
    }

    @Test func `A crash at any moment leaves whole answers`() async throws {
        for count in [1, 5, 23] {
            let path = directory.path(of: "cache")
            let process = try Subprocess(
                ProjectFiles.executable("http-probe"), ["cache", path, "100000"])
            try await process.wait(for: "answers") { result in
                result.outputText.contains("stored \(count)\n")
            }
            process.kill()
            let run = try await process.waitForExit()
            let stored = run.outputText.split(separator: "\n").count
            try await expectComplete(count: stored...(stored + 1))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private func expectComplete(count: Int) async throws {
        try await expectComplete(count: count...count)
    }

    /// Expects that the cache opens, and that every file in it is a whole answer.
    private func expectComplete(count: ClosedRange<Int>) async throws {
        let cache = try ResponseCache(directory: path)
        let entries = await cache.statistics.entries
        #expect(count.contains(entries))
        #expect(try files().count == entries)
        let stub = StubTransport { _ in HTTPResponse(status: 500) }
        for number in 1...max(entries, 1) {
            let response = try await CachingTransport(stub, cache: cache)
                .send(HTTPRequest(url: "https://h/\(number)"))
            #expect(response.cacheOutcome == .hit, "\(number) of \(entries)")
            #expect(response.body.count > 20_000)
        }
        #expect(await cache.statistics.discarded == 0)
    }
}
