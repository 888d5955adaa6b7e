// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport

/// A machine of its own in which Pollard is installed as its package would do it.
enum PollardMachine {
    /// Installs Pollard with `configuration`, and runs a script: `systemctl start pollard` and on.
    ///
    /// The network is that of the tests, so the endpoints may be those of a `LoopbackServer`.
    ///
    /// - Parameters:
    ///   - configuration: The text of `/etc/pollard/pollard.yaml`.
    ///   - variables: What the script can use beside the environment of the tests.
    ///   - script: Bash, with the functions of `Tests/machine.bash`.
    /// - Returns: What the script wrote, and its status.
    /// - Throws: What keeps the machine from starting.
    static func run(
        configuration: String, variables: [String: String] = [:], _ script: String
    ) async throws -> ProgramRun {
        let own = [
            "POLLARD": try ProjectFiles.executable("pollard"), "CONFIGURATION": configuration,
        ]
        return try await SystemdMachine.run(
            "install_pollard \"$CONFIGURATION\"\n" + script,
            variables: own.merging(variables) { _, new in new })
    }

    /// Runs a script with `start_with_hanging_poll`, after which a poll is in flight for good.
    static func runWithHangingPoll(_ script: String) async throws -> ProgramRun {
        let isHanging = try Gate()
        let server = try LoopbackServer { request in
            request.path == "/hang"
                ? [.open(isHanging), .hang]
                : [.wait(isHanging), .respond(200, ["Content-Type": "text/plain"], body: [0x61])]
        }
        defer { server.stop() }
        return try await run(
            configuration: """
                defaults: {interval: 200ms, timeout: 5min}
                endpoints:
                  - {name: hang, url: "\(server.url("/hang"))"}
                  - {name: other, url: "\(server.url("/other"))"}
                """,
            """
            start_with_hanging_poll() {
                systemctl start pollard
                until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                    POLLARD_ENDPOINT=other
            }
            \(script)
            """)
    }
}
