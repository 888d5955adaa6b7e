// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What a service can tell its manager, in the words of sd_notify(3).
package enum ServiceState: Sendable, Hashable {
    /// The start, or a reload, is complete.
    case ready
    /// A reload begins, at this reading of CLOCK_MONOTONIC in microseconds.
    case reloading(monotonicMicroseconds: Int64)
    /// The shutdown begins.
    case stopping
    /// One line for people, as `systemctl status` shows it.
    case status(String)
    /// The service is alive.
    case watchdog
    /// The current start, reload or stop needs this much more time from now.
    case extendTimeout(Duration)
    /// The error number that the service fails with.
    case errno(CInt)
    /// The status that the service is about to exit with.
    case exitStatus(CInt)

    /// The longest status in bytes of UTF-8.
    ///
    /// The manager ignores a message above 4096 bytes, and a longer line is of no use to people.
    package static let maximumStatusBytes = 1024

    /// The state as lines of the protocol.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let text):
            "STATUS=" + text.singleLine.truncated(toBytes: Self.maximumStatusBytes)
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let duration):
            "EXTEND_TIMEOUT_USEC=\(max(0, duration.wholeMicroseconds))"
        case .errno(let code): "ERRNO=\(code)"
        case .exitStatus(let status): "EXIT_STATUS=\(status)"
        }
    }
}
