// SPDX-License-Identifier: Apache-2.0

package import PollardCore

/// Where the daemon and the commands find their files.
package struct DaemonPaths: Sendable, Equatable {
    /// Where the unit's `ConfigurationDirectory=` puts it.
    package static let defaultConfiguration = "/etc/pollard/pollard.yaml"
    /// Where the unit's `StateDirectory=` puts it.
    package static let defaultState = "/var/lib/pollard"
    /// The name of the database within the state directory.
    package static let storeName = "pollard.db"

    package var configuration: String
    private var stateOption: String?
    private var stateDirectory: String?

    /// Takes paths from options first, then from what systemd sets in the environment.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - environment: `$STATE_DIRECTORY` is read (systemd.exec(5)); of several, the first.
    package init(_ options: Invocation.Options, environment: [String: String]) {
        configuration = options.config ?? Self.defaultConfiguration
        stateOption = options.state
        stateDirectory = environment["STATE_DIRECTORY"]
            .flatMap { $0.split(separator: ":").first.map(String.init) }
    }

    /// The database: `--state`, else `store.path` of the configuration, else the state directory.
    package func store(_ configuration: Configuration) -> String {
        if stateOption == nil, let path = configuration.storePath { return path }
        let directory = stateOption ?? stateDirectory ?? Self.defaultState
        return directory + (directory.hasSuffix("/") ? "" : "/") + Self.storeName
    }
}
