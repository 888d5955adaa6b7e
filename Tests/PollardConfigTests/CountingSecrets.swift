// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Synchronization

/// Has every secret, and counts how often it is asked.
final class CountingSecrets: SecretSource {
    private let asked = Mutex(0)

    var count: Int { asked.withLock { $0 } }

    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        asked.withLock { $0 += 1 }
        return Secret("token")
    }
}
