// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Testing

/// A throw-away machine with a real systemd and journald, made by `Tests/with-systemd`.
///
/// Each is a load for a while: a suite of such tests should be `.serialized`.
///
/// ```swift
/// @Test(.needsSystemdMachine) func `A unit starts`() async throws {
///     let run = try await SystemdMachine.run("systemctl start demo; systemctl is-active demo")
///     #expect(run.output == "active\n")
/// }
/// ```
package enum SystemdMachine {
    /// How long a script may run before its machine is switched off.
    package static let timeLimit = Duration.seconds(180)

    /// Runs a bash script in a machine of its own, in the project's root directory.
    ///
    /// The script stops at the first command that fails, and can use the functions of
    /// `Tests/machine.bash`. All it writes goes away with the machine, except below the root
    /// directory of the project. The network is that of the tests.
    ///
    /// - Parameters:
    ///   - script: The text of the script.
    ///   - variables: What it can use beside the environment of the tests.
    /// - Returns: The script's output and status: 124 past the time limit, 125 if there was no
    ///   machine, with the reason in `errors`.
    /// - Throws: What keeps the harness from starting.
    package static func run(
        _ script: String, variables: [String: String] = [:]
    ) async throws -> ProgramRun {
        let assignments = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let command =
            ["env"] + assignments
            + ["bash", "-euo", "pipefail", "-c", "source Tests/machine.bash\n" + script]
        return try await ProgramRun(
            "\(ProjectFiles.root)/Tests/with-systemd",
            ["--timeout", "\(timeLimit.components.seconds)", "--share", ProjectFiles.root, "--"]
                + command,
            directory: ProjectFiles.root)
    }
}

extension Trait where Self == ConditionTrait {
    /// Leaves a test out, and says so, for who can't have a machine: they aren't root.
    ///
    /// As root the test runs, and fails where systemd is missing.
    package static var needsSystemdMachine: Self {
        .enabled(
            if: geteuid() == 0,
            "needs root, for a machine with a systemd of its own: run the tests with sudo")
    }
}
