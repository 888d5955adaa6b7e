// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardSystemd

/// The secrets as a command in a shell sees them: it can read a credential only where it is told
/// of the unit's, since systemd gives them to the unit alone.
struct ShellSecrets: SecretSource {
    private let system = SystemSecretSource()
    private let hasCredentials: Bool

    /// - Parameter environment: Whether there are credentials is told by `$CREDENTIALS_DIRECTORY`.
    init(environment: [String: String]) {
        hasCredentials = environment["CREDENTIALS_DIRECTORY"] != nil
    }

    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        if !hasCredentials, case .credential(let name) = reference {
            throw SecretError(
                message: "credential '\(name)' is there for the unit only",
                hint: """
                    while the unit runs, root has it with \
                    CREDENTIALS_DIRECTORY=/run/credentials/pollard.service
                    """)
        }
        return try system.secret(for: reference)
    }
}
