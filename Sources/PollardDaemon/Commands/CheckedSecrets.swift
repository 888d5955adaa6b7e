// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardSystemd
internal import Synchronization

/// The secrets as `pollard check` sees them: in a shell there are no credentials, since systemd
/// gives them to the unit alone, and that is no error of the configuration.
final class CheckedSecrets: SecretSource {
    private let system = SystemSecretSource()
    private let hasCredentials: Bool
    private let unchecked = Mutex<Set<String>>([])

    /// - Parameter environment: Whether there are credentials is told by `$CREDENTIALS_DIRECTORY`.
    init(environment: [String: String]) {
        hasCredentials = environment["CREDENTIALS_DIRECTORY"] != nil
    }

    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        guard !hasCredentials, case .credential(let name) = reference else {
            return try system.secret(for: reference)
        }
        unchecked.withLock { _ = $0.insert(name) }
        return Secret(Secret.placeholder)
    }

    /// A line for each credential that was taken on trust, in the order of names.
    var remarks: [String] {
        unchecked.withLock { $0.sorted() }.map {
            "note: credential '\($0)' was not checked: only the unit has it"
        }
    }
}
