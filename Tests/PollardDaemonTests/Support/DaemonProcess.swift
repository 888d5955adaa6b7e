// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport

/// Starts `pollard run` in a directory that holds its configuration and its store.
///
/// - Parameters:
///   - directory: With `pollard.yaml`.
///   - environment: Variables beside those of the tests, as `NAME=value`.
/// - Returns: The daemon, which reports JSON lines.
/// - Throws: What keeps it from being started.
func startDaemon(
    in directory: TemporaryDirectory, environment: [String] = []
) throws -> Subprocess {
    let command = [
        try ProjectFiles.executable("pollard"), "run", "--config",
        "\(directory.path)/pollard.yaml", "--state", directory.path, "--log", "json",
    ]
    return try Subprocess("/usr/bin/env", environment + command)
}
