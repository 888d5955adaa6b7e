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
    /// The directory for what concerns the running process only; nil if there is none.
    package var runtimeDirectory: String?
    private var stateOption: String?
    private var stateDirectory: String?

    /// Takes paths from options first, then from what systemd sets in the environment.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - environment: `$STATE_DIRECTORY` and `$RUNTIME_DIRECTORY` are read (systemd.exec(5));
    ///     of several directories, the first.
    package init(_ options: Invocation.Options, environment: [String: String]) {
        configuration = options.config ?? Self.defaultConfiguration
        stateOption = options.state
        stateDirectory = Self.first(of: environment["STATE_DIRECTORY"])
        runtimeDirectory = Self.first(of: environment["RUNTIME_DIRECTORY"])
    }

    private static func first(of directories: String?) -> String? {
        directories?.split(separator: ":").first.map(String.init)
    }

    /// The database: `--state`, else `store.path` of the configuration, else the state directory.
    package func store(_ configuration: Configuration) -> String {
        if stateOption == nil, let path = configuration.storePath { return path }
        let directory = stateOption ?? stateDirectory ?? Self.defaultState
        return directory + (directory.hasSuffix("/") ? "" : "/") + Self.storeName
    }
}
