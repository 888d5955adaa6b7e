// SPDX-License-Identifier: Apache-2.0

package import PollardCore

/// Loads the configuration: the main file, then `conf.d/*.yaml` beside it in the order of names.
package struct ConfigurationLoader: Sendable {
    /// All files together; bounds what a reload may cost.
    static let maximumTotalBytes = 32 << 20
    /// Files in `conf.d`; one for each of a thousand services.
    static let maximumFiles = 1000

    private let secrets: any SecretSource
    /// As `maximumTotalBytes`, unless a test makes it smaller.
    var totalBytes = Self.maximumTotalBytes

    /// Makes a loader that reads secrets from `secrets`.
    package init(secrets: any SecretSource) { self.secrets = secrets }

    /// The configuration in the file at `path` and in `conf.d` beside it.
    ///
    /// - Throws: `ConfigurationError` with everything that is wrong.
    package func load(path: String) throws(ConfigurationError) -> Configuration {
        try loadWithWarnings(path: path).configuration
    }

    /// As `load(path:)`, with what is allowed but probably not meant.
    ///
    /// - Throws: `ConfigurationError` with everything that is wrong.
    package func loadWithWarnings(
        path: String
    ) throws(ConfigurationError) -> (
        configuration: Configuration, warnings: [ConfigurationDiagnostic]
    ) {
        let log = DiagnosticLog()
        let main = SourceFile(index: 0, path: path)
        var room = totalBytes
        let root = parsed(main, table: .root, room: &room, log: log)
        let fragments = fragmentPaths(beside: main, log: log).enumerated().map { index, path in
            parsed(
                SourceFile(index: index + 1, path: path), table: .fragment, room: &room, log: log)
        }
        var configuration = Configuration()
        if let root {
            var assembly = ConfigurationAssembly(
                secrets: SecretReader(secrets), log: log,
                isComplete: fragments.allSatisfy { $0 != nil })
            configuration = assembly.configuration(
                main: root, fragments: fragments.compactMap(\.self))
        }
        guard log.isClean else { throw ConfigurationError(diagnostics: log.sortedErrors()) }
        return (configuration, log.sortedWarnings())
    }

    private func fragmentPaths(beside main: SourceFile, log: DiagnosticLog) -> [String] {
        let slash = main.path.lastIndex(of: "/").map { main.path[...$0] } ?? ""
        let directory = "\(slash)conf.d"
        let place = SourceFile(index: 1, path: directory)
        let names: [String]
        do throws(FileError) {
            names = try FileReading.names(inDirectoryAt: directory)
        } catch {
            log.error(error.message, in: place, at: nil, hint: error.hint)
            return []
        }
        let visible = names.filter { !$0.hasPrefix(".") }
        for name in visible where name.hasSuffix(".yml") {
            let file = SourceFile(index: 1, path: "\(directory)/\(name)")
            log.warning("this file is not read", in: file, at: nil, hint: "call it '*.yaml'")
        }
        let chosen = visible.filter { $0.hasSuffix(".yaml") }
        guard chosen.count <= Self.maximumFiles else {
            log.error(
                "there are \(chosen.count) files, more than \(Self.maximumFiles)", in: place,
                at: nil, hint: nil)
            return []
        }
        return chosen.map { "\(directory)/\($0)" }
    }

    /// The map in `file`; an empty one if there are only comments, nil if it can't be read.
    private func parsed(
        _ file: SourceFile, table: KeyTable, room: inout Int, log: DiagnosticLog
    ) -> FieldMap? {
        let start = Mark(line: 1, column: 1)
        do {
            let bytes = try FileReading.bytes(ofFileAt: file.path, limit: YAMLLimits().bytes)
            room -= bytes.count
            guard room >= 0 else {
                throw FileError("all files together have more than \(totalBytes) bytes")
            }
            let node =
                try YAMLDocument.parse(bytes)
                ?? YAMLNode(content: .mapping([]), mark: start)
            guard case .mapping = node.content else {
                let keys = table.keys.quoted
                log.error(
                    "the file must be a map with the keys \(keys), not \(node.kind)", in: file,
                    at: node.mark, hint: nil)
                return nil
            }
            return Field(name: "the file", node: node, file: file, log: log).map(table)
        } catch let error as YAMLError {
            log.error(error.message, in: file, at: error.mark, hint: error.hint)
        } catch let error as FileError {
            let isMain = file.index == 0 && error.isMissing
            let hint = isMain ? "create it, or name another one with --config" : error.hint
            log.error(error.message, in: file, at: nil, hint: hint)
        } catch {
            log.error("\(error)", in: file, at: nil, hint: nil)
        }
        return nil
    }
}
