// SPDX-License-Identifier: Apache-2.0

/// A value that must never be printed: a token, a password, a credential.
///
/// Its description is a placeholder; only `reveal()` gives the value, so that each use can be found
/// by name.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What stands in the place of a secret wherever it would be seen.
    package static let placeholder = "[secret]"

    private let value: String

    package init(_ value: String) { self.value = value }

    /// The value itself, to be handed to the transport and to nothing else.
    package func reveal() -> String { value }

    package var description: String { Self.placeholder }
    package var debugDescription: String { Self.placeholder }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a secret is kept, as the configuration names it.
package enum SecretReference: Hashable, Sendable {
    /// A systemd credential (`LoadCredential=`), by its name in `$CREDENTIALS_DIRECTORY`.
    case credential(String)
    /// An environment variable, by its name.
    case environment(String)
    /// A file, by its path; one trailing newline is not part of the secret.
    case file(String)
}

/// Reads secrets from where the configuration says they are kept.
package protocol SecretSource: Sendable {
    /// The secret that `reference` names.
    ///
    /// - Throws: `SecretError` if it is missing, unreadable, empty or not text.
    func secret(for reference: SecretReference) throws(SecretError) -> Secret
}

/// Why a secret could not be read; never holds any part of the secret.
package struct SecretError: Error, Sendable, Equatable {
    /// One lower-case clause, as in `credential 'token' is not there`.
    package let message: String
    /// What to do next, if that can be said.
    package let hint: String?

    package init(message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
