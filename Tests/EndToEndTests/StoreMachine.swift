// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Synchronization

/// A machine in which Pollard polls a number, for what becomes of its store.
enum StoreMachine {
    /// The store as Pollard names it.
    static let store = "/var/lib/pollard/pollard.db"

    /// Runs a script beside a server of a number, which `next` makes the next one.
    static func run(_ script: String, interval: String = "100ms") async throws -> ProgramRun {
        let value = Mutex(1)
        let server = try LoopbackServer { request in
            .json(
                String(
                    value.withLock { value in
                        if request.path == "/next" { value += 1 }
                        return value
                    }))
        }
        defer { server.stop() }
        return try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: number, url: "\(server.url())", interval: \(interval)}
                """,
            """
            store=/var/lib/private/pollard
            next() {
                python3 -c 'import urllib.request as r; r.urlopen("\(server.url("/next"))")'
            }
            until_waiting() { # the start of the status
                until [[ $(show pollard StatusText) == "store trouble: $1 to be stored; "* ]]; do
                    sleep 0.02
                done
            }
            until_over() {
                until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue) PRIORITY=5
            }
            told() {
                entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                    MESSAGE_ID=\(MessageID.changed.rawValue) \
                    MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            }
            \(script)
            """)
    }

    /// What is said of a store that is damaged.
    static func damaged(_ detail: String) -> String {
        "the store '\(store)' is damaged: \(detail)"
    }

    /// What to do about that.
    static let replacing =
        "move it away together with its -wal and -shm files, then restore a backup or start anew"
}
