// SPDX-License-Identifier: Apache-2.0

/// The version of Pollard, by semantic versioning.
package let version = "0.1.0"
