// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PollardCore
import PollardTestSupport
import Testing

/// What a daemon tells the service manager from its start to its end, and when.
@Suite struct ServiceLifeTests {
    private let socket: NotifySocket
    private let directory: TemporaryDirectory

    init() throws {
        socket = try NotifySocket()
        directory = try TemporaryDirectory()
        try directory.write("endpoints: []\n", to: "pollard.yaml")
    }

    private func start(_ environment: [String] = []) throws -> Subprocess {
        try startDaemon(
            in: directory, environment: ["NOTIFY_SOCKET=\(socket.path)"] + environment)
    }

    /// Waits until a daemon has said something that begins so; with all that it said since the last
    /// such call.
    @discardableResult
    private func wait(for beginning: String, from process: Subprocess) async throws -> [String] {
        var messages: [String] = []
        try await waitUntil("'\(beginning)' from \(process.result)") {
            messages += socket.messages()
            return messages.contains { $0.hasPrefix(beginning) }
        }
        return messages
    }

    private func isStopped(_ process: Subprocess) throws -> Bool {
        let line = try String(
            contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
        return line.split(separator: " ").dropFirst(2).first == "T"
    }

    @Test func `It is ready, alive, reloading, ready again and stopping, in this order`()
        async throws
    {
        let process = try start(["WATCHDOG_USEC=2000000"])
        let start = try await wait(for: "READY=1", from: process).filter(isTransition)
        #expect(
            start == ["READY=1\nSTATUS=0 endpoints, 0 failing; 0 changes in 24h; 0 polls/min"])
        try await wait(for: "WATCHDOG=1", from: process)
        process.signal(SIGHUP)
        let reload = try await wait(for: "READY=1", from: process).filter(isTransition)
        #expect(reload.count == 2)
        #expect(reload.first?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        process.signal(SIGTERM)
        #expect(try await process.waitForExit().status == .exited(0))
        #expect(socket.messages().filter(isTransition) == ["STOPPING=1"])
    }

    /// Whether a message is about a start, a reload or a stop; others may come at any time.
    private func isTransition(_ message: String) -> Bool {
        message != "WATCHDOG=1" && !message.hasPrefix("STATUS=")
    }

    @Test func `Without a watchdog it says nothing of being alive`() async throws {
        let process = try start()
        // The status line is looked at each second, as the watchdog would be.
        try await wait(for: "READY=1", from: process)
        try directory.write("endpoints: [{}]\n", to: "pollard.yaml")
        process.signal(SIGHUP)
        try await wait(for: "STATUS=new configuration rejected", from: process)
        process.signal(SIGTERM)
        #expect(try await process.waitForExit().status == .exited(0))
        #expect(socket.messages().filter { !$0.hasPrefix("STATUS=") } == ["STOPPING=1"])
    }

    @Test func `A watchdog's interval that is no number is told, and no reason not to poll`()
        async throws
    {
        let process = try start(["WATCHDOG_USEC=soon"])
        try await wait(for: "READY=1", from: process)
        try await process.wait(for: "the trouble") {
            $0.outputText.contains("cannot read the watchdog's interval: invalid argument")
        }
    }

    @Test func `Errors in the configuration are told with the exit status`() async throws {
        try directory.write("endpoint: []\n", to: "pollard.yaml")
        let process = try start()
        #expect(try await process.waitForExit().status == .exited(78))
        #expect(
            socket.messages() == [
                """
                EXIT_STATUS=78
                STATUS=\(directory.path)/pollard.yaml:1:1: error: unknown key 'endpoint' \
                (did you mean 'endpoints'?)
                """
            ])
    }

    @Test func `A store that the system refuses is told with its error number`() async throws {
        try directory.write("", to: "file")
        try directory.write(
            "endpoints: []\nstore: {path: \(directory.path)/file/x.db}\n", to: "pollard.yaml")
        let process = try Subprocess(
            "/usr/bin/env",
            [
                "NOTIFY_SOCKET=\(socket.path)", try ProjectFiles.executable("pollard"), "run",
                "--config", directory.path(of: "pollard.yaml"), "--log", "json",
            ])
        #expect(try await process.waitForExit().status == .exited(66))
        #expect(
            socket.messages() == [
                """
                ERRNO=2
                EXIT_STATUS=66
                STATUS=pollard: the directory '\(directory.path)/file' of the store \
                does not exist
                """
            ])
    }

    @Test func `SIGHUP ended a daemon that was still starting`() async throws {
        let trip = Trip(.stop, at: "step PRAGMA application_id")
        let process = try start(
            trip.environment(library: try await TestProgram.trip.compiled()))
        try await waitUntil("the opening of the store") { try isStopped(process) }
        #expect(socket.messages() == [], "nothing is ready before the store is open")
        try directory.write(
            "endpoints: [{name: a, url: 'http://127.0.0.1:9/', interval: 1d}]\n",
            to: "pollard.yaml")
        process.signal(SIGHUP)
        process.signal(SIGCONT)
        try await process.wait(for: "the reload") {
            $0.status != nil || $0.outputText.contains("reloaded: 1 endpoint, 1 added")
        }
        process.signal(SIGTERM)
        #expect(try await process.waitForExit().status == .exited(0))
    }

    @Test func `A start on a slow disk asks for more time`() async throws {
        let trip = Trip(.slow(seconds: 3), at: "sync")
        let process = try start(
            trip.environment(library: try await TestProgram.trip.compiled()))
        let messages = try await wait(for: "READY=1", from: process)
        #expect(messages.first == "EXTEND_TIMEOUT_USEC=10000000\nWATCHDOG=1")
        #expect(messages.filter { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") }.count >= 2)
    }

    @Test func `What was left over is told before it is ready, and may take long`() async throws {
        let library = try await TestProgram.trip.compiled()
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        try directory.write(
            "endpoints: [{name: a, url: \"\(server.url())\", interval: 100ms}]\n",
            to: "pollard.yaml")
        let mark = "step UPDATE change SET reported"
        let first = try start(Trip(.kill, at: mark).environment(library: library))
        #expect(try await first.waitForExit().status == .signalled(SIGKILL))
        try await wait(for: "READY=1", from: first)
        let second = try start(Trip(.slow(seconds: 2), at: mark).environment(library: library))
        let messages = try await wait(for: "READY=1", from: second)
        #expect(messages.first == "EXTEND_TIMEOUT_USEC=10000000\nWATCHDOG=1")
        let start = #""POLLARD_KIND":"started"}"#
        let output = try await second.wait(for: "its start") { $0.outputText.contains(start) }
        let kinds = output.outputText.split(separator: "\n").compactMap {
            try? JSONValue(parsing: String($0))["POLLARD_KIND"]?.string
        }
        #expect(kinds.prefix(2) == ["first-snapshot", "started"])
    }

    @Test func `A stop on a slow disk asks for more time`() async throws {
        let file = directory.path(of: "slow")
        let trip = Trip(.slow(seconds: 3), at: "sync", ifThere: file)
        let process = try start(
            trip.environment(library: try await TestProgram.trip.compiled()))
        try await wait(for: "READY=1", from: process)
        try directory.write("", to: "slow")
        process.signal(SIGTERM)
        #expect(try await process.waitForExit().status == .exited(0))
        let messages = socket.messages().drop { $0 != "STOPPING=1" }
        #expect(messages.count >= 3)
        #expect(
            messages.dropFirst().allSatisfy { $0 == "EXTEND_TIMEOUT_USEC=10000000\nWATCHDOG=1" })
    }
}
