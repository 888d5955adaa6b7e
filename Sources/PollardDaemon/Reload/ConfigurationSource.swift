// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardSystemd

/// Where the daemon's configuration comes from: at its start, and at each reload.
struct ConfigurationSource: Sendable {
    let paths: DaemonPaths
    let reporter: any Reporting

    /// Loads the configuration and reads its secrets anew; warnings are reported.
    ///
    /// - Returns: The configuration, and the path of the store that it asks for.
    /// - Throws: `ConfigurationError` with everything that is wrong.
    func load() throws(ConfigurationError) -> (configuration: Configuration, store: String) {
        let loader = ConfigurationLoader(secrets: SystemSecretSource())
        let (configuration, warnings) = try loader.loadWithWarnings(path: paths.configuration)
        for warning in warnings { reporter.report(.configurationWarning("\(warning)")) }
        return (configuration, paths.store(configuration))
    }
}
