// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// Reads secrets, each one once however many endpoints refer to it.
final class SecretReader {
    private let source: any SecretSource
    private var known: [SecretReference: Result<Secret, SecretError>] = [:]

    init(_ source: any SecretSource) { self.source = source }

    /// The secret that `reference` names.
    ///
    /// - Throws: `SecretError` as the source does.
    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        if let found = known[reference] { return try found.get() }
        let result: Result<Secret, SecretError>
        do throws(SecretError) {
            result = .success(try source.secret(for: reference))
        } catch {
            result = .failure(error)
        }
        known[reference] = result
        return try result.get()
    }
}

extension Field {
    /// A secret that can be part of a header: text, or a reference to where it is kept.
    ///
    /// No message shows the value, not even when it is of the wrong type.
    func secret(from reader: SecretReader) -> Secret? {
        let secret: Secret
        switch node.content {
        case .mapping:
            guard let found = referencedSecret(from: reader) else { return nil }
            secret = found
        case .scalar(let scalar) where scalar.type == .text:
            guard !scalar.text.isEmpty else {
                error("'\(name)' is empty")
                return nil
            }
            secret = Secret(scalar.text)
        case .scalar(let scalar):
            typeError(
                "text or a secret reference", hint: scalar.type == .null ? nil : "quote the text")
            return nil
        case .sequence:
            typeError("text or a secret reference")
            return nil
        }
        if let problem = HeaderRules.problem(withValue: secret.reveal()) {
            error("'\(name)' \(problem)")
            return nil
        }
        return secret
    }

    private func referencedSecret(from reader: SecretReader) -> Secret? {
        guard let entry = map(.secret)?.onlyEntry(),
            let text = entry.value.text(isSecret: true)
        else { return nil }
        guard let reference = SecretReference(key: entry.key, value: text) else {
            entry.value.error("'\(entry.key)' must be \(SecretReference.expectation(entry.key))")
            return nil
        }
        do throws(SecretError) {
            return try reader.secret(for: reference)
        } catch {
            entry.value.error("'\(name)': \(error.message)", hint: error.hint)
            return nil
        }
    }
}

extension SecretReference {
    /// The reference that `{key: value}` writes; nil if `value` can't be one.
    fileprivate init?(key: String, value: String) {
        switch key {
        case "credential":
            // systemd.exec(5): a credential is a file, and its name a file's name.
            guard !value.contains("/"), value != ".", value != "..", value.utf8.count <= 255,
                !value.hasControlCharacters
            else { return nil }
            self = .credential(value)
        case "env":
            guard let first = value.utf8.first, !first.isDigit,
                value.utf8.allSatisfy({ $0.isDigit || $0.isLetter || $0 == UInt8(ascii: "_") })
            else { return nil }
            self = .environment(value)
        default:
            guard value.hasPrefix("/"), !value.hasControlCharacters else { return nil }
            self = .file(value)
        }
    }

    /// What the value under `key` must be.
    fileprivate static func expectation(_ key: String) -> String {
        switch key {
        case "credential": "the name of a credential, without '/'"
        case "env": "the name of an environment variable"
        default: "an absolute path"
        }
    }
}
