// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardSystemd
internal import Synchronization

/// The secrets as `pollard check` sees them: in a shell there are no credentials, since systemd
/// gives them to the unit alone, and that is no error of the configuration.
final class CheckedSecrets: SecretSource {
    private let system = SystemSecretSource()
    private let hasCredentials: Bool
    private let trusted = Mutex<Set<String>>([])

    /// - Parameter environment: Whether there are credentials is told by `$CREDENTIALS_DIRECTORY`.
    init(environment: [String: String]) {
        hasCredentials = environment["CREDENTIALS_DIRECTORY"] != nil
    }

    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        guard !hasCredentials, case .credential(let name) = reference else {
            return try system.secret(for: reference)
        }
        trusted.withLock { _ = $0.insert(name) }
        return Secret(Secret.placeholder)
    }

    /// The credentials that were taken on trust, in order.
    var unchecked: [String] { trusted.withLock { $0.sorted() } }

    /// What there is to say of such a credential.
    static func remark(_ name: String) -> String {
        "credential '\(name)' was not checked: only the unit has it"
    }
}
