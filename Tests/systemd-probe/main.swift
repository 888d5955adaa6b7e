// SPDX-License-Identifier: Apache-2.0
//
// What the tests of PollardSystemd run inside a real systemd, where they can't go themselves.
//
//     systemd-probe report FORMAT NAME=VALUE...   reports one event with these fields
//     systemd-probe serve                         a service of Type=notify, until SIGTERM

import Glibc
import PollardCore
import PollardSystemd

/// Reports an event in `format`, or if that is `automatic` in the one that fits.
func report(format: String, fields: ArraySlice<String>) {
    let format = LogFormat(rawValue: format) ?? .automatic()
    let entry = EventEntry(
        id: .changed, priority: .notice,
        message: "products: changed: 1 updated\n~ /name \"a\" -> \"\u{1b}[31mb\"",
        fields: fields.map { field in
            let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
            return EventEntry.Field(parts[0], parts[1])
        })
    format.reporter().report(entry)
}

/// Serves until SIGTERM; reloads on SIGHUP, and hangs on SIGUSR1.
func serve() throws {
    let notifier = ServiceNotifier()
    let interval = try notifier.watchdogInterval() ?? .seconds(3600)
    let token = try SystemSecretSource().secret(for: .credential("token")).reveal()
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGHUP, SIGTERM, SIGUSR1] { unsafe sigaddset(&signals, signal) }
    unsafe sigprocmask(SIG_BLOCK, &signals, nil)

    try notifier.ready(status: "a token of \(token.utf8.count) bytes")
    var half = timespec(interval / 2)
    while true {
        switch unsafe sigtimedwait(&signals, nil, &half) {
        case SIGTERM:
            try notifier.stopping(status: "stopping")
            return
        case SIGHUP:
            try notifier.reloading(status: "reloading")
            try notifier.ready(status: "reloaded")
        case SIGUSR1:
            while true { pause() }
        default:
            try notifier.watchdog()
        }
    }
}

extension timespec {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}

switch CommandLine.arguments.dropFirst().first {
case "report": report(format: CommandLine.arguments[2], fields: CommandLine.arguments[3...])
case "serve": try serve()
default: exit(64)
}
