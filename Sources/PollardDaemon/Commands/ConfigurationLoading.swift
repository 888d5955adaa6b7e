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

    /// The configuration for a command that only reads the store; nil if it has errors, of which
    /// the first is a remark: then the daemon may run on as before, and people look what it does.
    static func readable(from path: String, remarks output: CommandOutput) -> Configuration? {
        do throws(ConfigurationError) {
            return try ConfigurationLoader(secrets: UnreadSecrets()).load(path: path)
        } catch {
            let further = error.diagnostics.count - 1
            for line in error.diagnostics.prefix(1) { output.remark(line.description) }
            if further > 0 {
                output.remark("note: 'pollard check' lists \(further.counted("more error"))")
            }
            output.remark("note: shown is what the store knows, without the configuration")
            return nil
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
