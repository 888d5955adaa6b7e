// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore

/// Stands in for secrets where none is needed: commands that read the store send nothing.
struct UnreadSecrets: SecretSource {
    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        Secret(Secret.placeholder)
    }
}
