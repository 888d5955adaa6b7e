// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore

/// `pollard check`: every error of the configuration, or a summary of a good one.
struct CheckCommand {
    let path: String
    let environment: [String: String]
    let isJSON: Bool

    /// Loads the configuration, and writes the summary of a good one, or in JSON all there is to
    /// say, to standard output; warnings are remarks.
    ///
    /// - Throws: `CommandFailure` with every error, which is told already if it was written in JSON.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let secrets = CheckedSecrets(environment: environment)
        let configuration: Configuration
        let warnings: [ConfigurationDiagnostic]
        do throws(ConfigurationError) {
            (configuration, warnings) = try ConfigurationLoader(secrets: secrets)
                .loadWithWarnings(path: path)
        } catch {
            var failure = CommandFailure(error)
            if isJSON {
                for diagnostic in error.diagnostics { try output.write(line: diagnostic.json) }
                failure.isReported = true
            }
            throw failure
        }
        let summary = Summary(of: configuration)
        if isJSON {
            for warning in warnings { try output.write(line: warning.json) }
            for name in secrets.unchecked { try output.write(line: note(name)) }
            try output.write(line: summary.json(file: path))
        } else {
            for warning in warnings { output.remark("\(warning)") }
            for name in secrets.unchecked { output.remark("note: \(CheckedSecrets.remark(name))") }
            try output.write(line: "\(path): good: \(summary.text)")
        }
    }

    private func note(_ name: String) -> String {
        var line = JSONLine()
        line.add("severity", "note")
        line.add("file", path)
        line.add("message", CheckedSecrets.remark(name))
        return line.text
    }
}

/// What a good configuration asks for.
private struct Summary {
    private let enabled: Int
    private let disabled: Int
    private let pollsPerMinute: Int

    init(of configuration: Configuration) {
        let enabled = configuration.endpoints.filter(\.isEnabled)
        let rate = enabled.reduce(0.0) { $0 + 60e6 / Double($1.interval.wholeMicroseconds) }
        self.enabled = enabled.count
        disabled = configuration.endpoints.count - enabled.count
        pollsPerMinute = Int(rate.rounded())
    }

    var text: String {
        let off = disabled == 0 ? "" : ", \(disabled.grouped) disabled"
        return "\(enabled.counted("endpoint"))\(off), \(pollsPerMinute.counted("poll")) a minute"
    }

    /// The last object that `check --json` prints; without errors only.
    func json(file: String) -> String {
        var line = JSONLine()
        line.add("severity", "info")
        line.add("file", file)
        line.add("message", "good: \(text)")
        line.add("endpoints", enabled)
        line.add("disabled", disabled)
        line.add("polls_per_minute", pollsPerMinute)
        return line.text
    }
}

extension ConfigurationDiagnostic {
    /// The diagnostic as one JSON object; line and column only where there are some.
    fileprivate var json: String {
        var object = JSONLine()
        object.add("severity", severity.rawValue)
        object.add("file", file)
        object.add("line", line > 0 ? line : nil)
        object.add("column", line > 0 ? column : nil)
        object.add("message", message)
        object.add("hint", hint)
        return object.text
    }
}
