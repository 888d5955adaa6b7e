// SPDX-License-Identifier: Apache-2.0

/// Which header fields of a request hold credentials: those that are for one origin only, tell one
/// user of a cache from another, and are not kept on a disk.
enum CredentialField {
    /// Whether a field of this name holds a credential, by the standards, by custom, or because
    /// `named` says so.
    ///
    /// Rather too often than too seldom: what is taken for a credential by mistake is missed
    /// somewhere, which is seen; the other way round a secret gets away, which is not.
    static func contains(_ name: String, named: Set<String> = []) -> Bool {
        let name = name.lowercased()
        return standard.contains(name) || SecretRedaction.isSecretName(name)
            || (name.hasSuffix("-key") && !plainKeys.contains(name))
            || name.split(separator: "-").contains("auth")
            || named.contains { $0.lowercased() == name }
    }

    /// Those whose values libraries and servers keep to one origin (RFC 9110, 11; RFC 6265).
    private static let standard: Set<String> = ["authorization", "proxy-authorization", "cookie"]
    /// Keys that open nothing.
    private static let plainKeys: Set<String> = [
        "idempotency-key", "surrogate-key", "sec-websocket-key",
    ]
}

extension HTTPRequest {
    /// Whether a field of this name is a credential of the request.
    func isCredential(_ name: String) -> Bool {
        CredentialField.contains(name, named: credentialFields)
    }
}

extension HTTPFields {
    /// The names of the fields that hold credentials.
    func credentialNames(named: Set<String>) -> [String] {
        lines.map(\.name).filter { CredentialField.contains($0, named: named) }
    }

    /// Every text by which the credentials among the fields are given away: the value of each, and
    /// what follows its scheme.
    func secrets(named: Set<String>) -> [String] {
        lines.filter { CredentialField.contains($0.name, named: named) }.flatMap { field in
            [field.value]
                + field.value.split(separator: " ", maxSplits: 1).dropFirst().map(String.init)
        }
    }
}
