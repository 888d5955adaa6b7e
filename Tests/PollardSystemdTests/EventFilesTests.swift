// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PollardCore
import PollardTestSupport
import Synchronization
import Testing

@testable import PollardSystemd

@Suite struct EventFilesTests {
    private let directory: TemporaryDirectory
    private let log = Log()
    private let files: EventFiles
    private let instant = Timestamp(microseconds: 1_796_024_432_000_012)

    init() throws {
        directory = try TemporaryDirectory()
        files = EventFiles(runtimeDirectory: directory.path, log: log) { [instant] in instant }
    }

    private func entry(
        _ id: MessageID, of name: String = "a.b-c", message: String = "a.b-c: something"
    ) -> EventEntry {
        EventEntry(
            id: id, priority: .notice, message: message,
            fields: [.init("POLLARD_KIND", id.kind), .init("POLLARD_ENDPOINT", name)])
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try directory.read("events/\(name)"), as: UTF8.self)
    }

    /// The permissions of a file, as in `0o644`.
    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe stat(directory.path(of: name), &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test(arguments: [
        MessageID.firstSnapshot, .changed, .failing, .stillFailing, .recovered,
        .certificateExpiring,
    ])
    func `The file of an endpoint holds its last event as JSON`(id: MessageID) throws {
        files.report(entry(.changed, message: String(repeating: "long", count: 50_000)))
        files.report(entry(id))
        #expect(
            try text("a.b-c.json") == """
                {"TIMESTAMP":"2026-11-30T07:40:32.000012Z","MESSAGE":"a.b-c: something",\
                "MESSAGE_ID":"\(id.rawValue)","PRIORITY":"5","SYSLOG_IDENTIFIER":"pollard",\
                "POLLARD_KIND":"\(id.kind)","POLLARD_ENDPOINT":"a.b-c"}

                """)
        #expect(try directory.names(in: "events") == ["a.b-c.json"])
        #expect(log.messages == [])
    }

    @Test func `Endpoints have files of their own`() throws {
        files.report(entry(.failing, of: "a"))
        files.report(entry(.recovered, of: "b"))
        #expect(try directory.names(in: "events") == ["a.json", "b.json"])
        #expect(try text("a.json").contains(#""POLLARD_KIND":"failing""#))
    }

    @Test(arguments: [
        MessageID.overrunning, .late, .networkTrouble, .polled, .started, .storeTrouble,
        .configurationRejected,
    ])
    func `Other kinds of events are in no file`(id: MessageID) throws {
        files.report(entry(id))
        #expect(try directory.names(in: "") == [])
    }

    @Test(arguments: ["../a", ".a", "", "a/b"])
    func `What is no name of an endpoint never becomes one of a file`(name: String) throws {
        files.report(entry(.changed, of: name))
        #expect(try directory.names(in: "") == [])
    }

    @Test func `Every user can read the files, whatever the umask`() async throws {
        // The umask belongs to the whole process, so to one of its own.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            umask(0o077)
            EventFiles(runtimeDirectory: directory.path, log: Reporters([])).report(
                EventEntry(
                    id: .changed, priority: .notice, message: "a: changed",
                    fields: [.init("POLLARD_ENDPOINT", "a")]))
            for (name, mode) in [("events", 0o755), ("events/a.json", 0o644)] as [(_, mode_t)] {
                var status = stat()
                #expect(unsafe stat(directory.path(of: name), &status) == 0)
                #expect(status.st_mode & 0o7777 == mode, "\(name)")
            }
        }
    }

    @Test func `The file is another at each event: who reads the old one reads all of it`() throws {
        files.report(entry(.failing))
        let old = unsafe open(directory.path(of: "events/a.b-c.json"), O_RDONLY | O_CLOEXEC)
        try #require(old >= 0)
        defer { close(old) }
        files.report(entry(.recovered))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(old, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        #expect(text.contains(#""POLLARD_KIND":"failing""#) && text.hasSuffix("}\n"))
    }

    @Test func `What a killed process left half written is in nobody's way`() throws {
        try directory.write("{\"half", to: "events/.a.b-c.json.new")
        files.report(entry(.changed))
        #expect(try directory.names(in: "events") == ["a.b-c.json"])
    }

    @Test func `A file that can't be written is told once, until it can be again`() throws {
        try directory.write("", to: "events/a.json/in-the-way")
        for _ in 1...2 { files.report(entry(.changed, of: "a")) }
        files.report(entry(.changed, of: "b"))
        let message =
            "cannot write '\(directory.path)/events/a.json': is a directory; continuing"
        #expect(log.messages == [message])
        #expect(log.entries.map(\.id) == [.eventFileTrouble])
        #expect(log.entries.map(\.priority) == [.warning])
        #expect(try directory.names(in: "events") == ["a.json", "b.json"])

        let path = directory.path(of: "events/a.json")
        try #require(unsafe unlink("\(path)/in-the-way") == 0 && rmdir(path) == 0)
        files.report(entry(.changed, of: "a"))
        #expect(try text("a.json").contains(#""POLLARD_ENDPOINT":"a""#))
        #expect(log.messages == [message])
        try #require(unsafe unlink(path) == 0)
        try directory.write("", to: "events/a.json/in-the-way")
        files.report(entry(.changed, of: "a"))
        #expect(log.messages == [message, message])
    }

    @Test func `The file of an endpoint that is no longer polled is removed`() throws {
        for name in ["a", "b"] { files.report(entry(.changed, of: name)) }
        let name = try #require(EndpointName(rawValue: "a"))
        Reporters([log, files]).forget(name)
        files.forget(name)
        #expect(try directory.names(in: "events") == ["b.json"])
        #expect(log.messages == [])
    }

    @Test func `A file that can't be removed is told`() throws {
        try directory.write("", to: "events/a.json/in-the-way")
        files.forget(try #require(EndpointName(rawValue: "a")))
        #expect(
            log.messages == [
                "cannot remove '\(directory.path)/events/a.json': is a directory; continuing"
            ])
    }

    @Test func `A runtime directory that is gone is named`() {
        directory.remove()
        files.report(entry(.changed))
        #expect(
            log.messages == [
                """
                cannot make the directory '\(directory.path)/events': no such file or directory; \
                continuing
                """
            ])
    }

    @Test func `Several reporters are each told, in order`() {
        let second = Log()
        Reporters([log, second]).report(entry(.changed))
        Reporters([log, second]).report(entry(.failing))
        #expect(log.entries == [entry(.changed), entry(.failing)])
        #expect(second.entries == log.entries)
    }
}

/// A reporter that keeps what it is told.
private final class Log: Reporting {
    private let kept = Mutex<[EventEntry]>([])

    var entries: [EventEntry] { kept.withLock { $0 } }
    var messages: [String] { entries.map(\.message) }

    func report(_ entry: EventEntry) { kept.withLock { $0.append(entry) } }
}

extension TemporaryDirectory {
    /// The names of the files in a directory of it, sorted.
    fileprivate func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(of: name)).sorted()
    }
}
