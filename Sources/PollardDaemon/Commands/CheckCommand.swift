// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore

/// `pollard check`: every error of the configuration, or a summary of a good one.
struct CheckCommand {
    let path: String
    let environment: [String: String]

    /// Loads the configuration.
    ///
    /// - Returns: The summary for standard output, and warnings for standard error.
    /// - Throws: `CommandFailure` with every error.
    func run() throws(CommandFailure) -> (summary: String, warnings: [String]) {
        let secrets = CheckedSecrets(environment: environment)
        let loader = ConfigurationLoader(secrets: secrets)
        do throws(ConfigurationError) {
            let (configuration, warnings) = try loader.loadWithWarnings(path: path)
            let summary = Self.summary(of: configuration, path: path)
            return (summary, warnings.map(\.description) + secrets.remarks)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func summary(of configuration: Configuration, path: String) -> String {
        let enabled = configuration.endpoints.filter(\.isEnabled)
        let disabled = configuration.endpoints.count - enabled.count
        let rate = enabled.reduce(0.0) { $0 + 60e6 / Double($1.interval.wholeMicroseconds) }
        let polls = Int(rate.rounded())
        let off = disabled == 0 ? "" : ", \(disabled.grouped) disabled"
        return "\(path): good: \(enabled.count.counted("endpoint"))\(off), "
            + "\(polls.counted("poll")) a minute"
    }
}
