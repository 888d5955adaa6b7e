// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardSystemd

extension CommandFailure {
    /// The failure of a command whose configuration has errors: all of them, a line each.
    init(_ error: ConfigurationError) {
        let lines = error.diagnostics.map(\.description)
        self.init(status: .configuration, text: lines.joined(separator: "\n"))
    }
}

extension Configuration {
    /// The endpoints of these names, or all for none, in the order of the configuration.
    ///
    /// - Throws: `CommandFailure` for a name that is not configured, with the nearest one.
    func endpoints(named names: [String]) throws(CommandFailure) -> [EndpointConfiguration] {
        let known = endpoints.map(\.name.rawValue)
        for name in names where !known.contains(name) {
            let near = Suggestion.nearest(to: name, among: known)
            throw CommandFailure(
                .noInput, "no endpoint '\(name)' is configured",
                hint: near.map { "did you mean '\($0)'?" }
                    ?? "'pollard status' lists the endpoints")
        }
        return names.isEmpty ? endpoints : endpoints.filter { names.contains($0.name.rawValue) }
    }
}
