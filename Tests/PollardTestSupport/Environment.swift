// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Calls `body` with an environment variable set, which is unset afterwards.
///
/// The environment belongs to the whole process: only for variables that no other test reads.
///
/// - Throws: What `body` throws.
package func withEnvironment<Answer>(
    _ name: String, _ value: String, _ body: () async throws -> Answer
) async throws -> Answer {
    unsafe setenv(name, value, 1)
    defer { unsafe unsetenv(name) }
    return try await body()
}
