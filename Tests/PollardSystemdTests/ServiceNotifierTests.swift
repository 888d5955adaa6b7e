// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardTestSupport
import Testing

@testable import PollardSystemd

/// The environment belongs to a whole process, so each of these runs in one of its own.
@Suite struct ServiceNotifierTests {
    @Test func `Each call is one message to the manager`() async throws {
        let socket = try NotifySocket()
        await #expect(processExitsWith: .success) { [path = socket.path as String] in
            unsafe setenv("NOTIFY_SOCKET", path, 1)
            let notifier = ServiceNotifier()
            try notifier.ready(status: "2 endpoints")
            try notifier.status("1 failing")
            try notifier.watchdog()
            try notifier.extendTimeout(by: .seconds(5))
            try notifier.stopping()
            try notifier.failing(status: "no store", exitStatus: 74, errno: EROFS)
        }
        #expect(
            socket.messages() == [
                "READY=1\nSTATUS=2 endpoints", "STATUS=1 failing", "WATCHDOG=1",
                "EXTEND_TIMEOUT_USEC=5000000\nWATCHDOG=1", "STOPPING=1",
                "ERRNO=30\nEXIT_STATUS=74\nSTATUS=no store",
            ])
    }

    @Test func `A reload names the instant at which it began`() async throws {
        let socket = try NotifySocket()
        let earliest = monotonicMicroseconds()
        await #expect(processExitsWith: .success) { [path = socket.path as String] in
            unsafe setenv("NOTIFY_SOCKET", path, 1)
            try ServiceNotifier().reloading(status: "reloading")
        }
        let lines = try #require(socket.messages().first).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "RELOADING=1")
        #expect(lines.last == "STATUS=reloading")
        let instant = try #require(lines[1].split(separator: "=").last.flatMap { Int64($0) })
        #expect((earliest...monotonicMicroseconds()).contains(instant))
    }

    @Test func `Without a manager nothing happens`() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("NOTIFY_SOCKET")
            unsafe unsetenv("WATCHDOG_USEC")
            try ServiceNotifier().ready(status: "alone")
            let interval = try ServiceNotifier().watchdogInterval()
            #expect(interval == nil)
        }
    }

    @Test func `A manager that is gone is an error`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            let error = #expect(throws: SystemdError.self) { try ServiceNotifier().ready() }
            #expect(
                error?.description
                    == "cannot notify the service manager: no such file or directory")
        }
    }

    @Test func `The watchdog's interval is read for this process only`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("WATCHDOG_USEC", "30000000", 1)
            for (process, expected) in [
                (nil, Duration.seconds(30)), (getpid(), .seconds(30)), (1, nil),
            ] {
                unsafe unsetenv("WATCHDOG_PID")
                if let process { unsafe setenv("WATCHDOG_PID", String(process), 1) }
                let interval = try ServiceNotifier().watchdogInterval()
                #expect(interval == expected)
            }
        }
    }

    @Test func `A watchdog's interval that is no number is an error`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("WATCHDOG_USEC", "soon", 1)
            unsafe unsetenv("WATCHDOG_PID")
            let error = #expect(throws: SystemdError.self) {
                _ = try ServiceNotifier().watchdogInterval()
            }
            #expect(error?.description == "cannot read the watchdog's interval: invalid argument")
        }
    }
}

private func monotonicMicroseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}
