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
    /// The configuration in the file at `path`, with secrets from `secrets`.
    ///
    /// - Throws: `CommandFailure` with every error.
    static func loaded(
        from path: String, secrets: some SecretSource
    ) throws(CommandFailure) -> Configuration {
        do throws(ConfigurationError) {
            return try ConfigurationLoader(secrets: secrets).load(path: path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The endpoints that `words` name, or all for none, in the order of the configuration.
    ///
    /// - Throws: `CommandFailure` for a word that names none, or more than one.
    func endpoints(named words: [String]) throws(CommandFailure) -> [EndpointConfiguration] {
        let known = KnownNames(
            names: endpoints.map(\.name), missing: "no endpoint '%' is configured")
        var names: Set<EndpointName> = []
        for word in words { names.insert(try known.name(for: word)) }
        return words.isEmpty ? endpoints : endpoints.filter { names.contains($0.name) }
    }
}
