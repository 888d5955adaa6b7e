// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Tells the service manager how the service fares (sd_notify(3)).
///
/// Without `$NOTIFY_SOCKET`, as in a terminal, every call does nothing.
package struct ServiceNotifier: Sendable {
    package init() {}

    /// Says that the start, or a reload, is complete.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func ready(status: String? = nil) throws(SystemdError) {
        try send([.ready], status: status)
    }

    /// Says that a reload begins; `ready` must follow.
    ///
    /// To be sent before anything else is done on SIGHUP, or `systemctl reload` may return early.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func reloading(status: String? = nil) throws(SystemdError) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
        try send([.reloading(monotonicMicroseconds: microseconds)], status: status)
    }

    /// Says that the shutdown begins.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func stopping(status: String? = nil) throws(SystemdError) {
        try send([.stopping], status: status)
    }

    /// Replaces the line that `systemctl status` shows.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func status(_ text: String) throws(SystemdError) {
        try send([.status(text)])
    }

    /// Says that the service is alive; due more often than `watchdogInterval()`.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func watchdog() throws(SystemdError) {
        try send([.watchdog])
    }

    /// Asks for `duration` more, from now, for the start or the stop that is under way; a sign of
    /// life at the same time, since the watchdog does not rest during a stop.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func extendTimeout(by duration: Duration) throws(SystemdError) {
        try send([.extendTimeout(duration), .watchdog])
    }

    /// Says why the service is about to fail, before it exits with `exitStatus`.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    package func failing(
        status: String, exitStatus: CInt, errno: CInt? = nil
    ) throws(SystemdError) {
        let cause = errno.map { [ServiceState.errno($0)] } ?? []
        try send(cause + [.exitStatus(exitStatus)], status: status)
    }

    /// Sends all of `states`, and `status` if there is one, in one message.
    ///
    /// - Throws: `SystemdError` if the message can't be sent.
    private func send(_ states: [ServiceState], status: String? = nil) throws(SystemdError) {
        let all = states + (status.map { [.status($0)] } ?? [])
        let message = all.map(\.assignment).joined(separator: "\n")
        let result = unsafe sd_notify(0, message)
        guard result >= 0 else {
            throw SystemdError(attempt: "notify the service manager", code: -result)
        }
    }

    /// How long the manager waits for a sign of life before it kills the service.
    ///
    /// - Returns: The whole limit, of which a service should use half; nil if there is none, or
    ///   `$WATCHDOG_PID` means another process.
    /// - Throws: `SystemdError` if the environment holds nonsense.
    package func watchdogInterval() throws(SystemdError) -> Duration? {
        var microseconds: UInt64 = 0
        let result = unsafe sd_watchdog_enabled(0, &microseconds)
        guard result >= 0 else {
            throw SystemdError(attempt: "read the watchdog's interval", code: -result)
        }
        return result > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }
}
