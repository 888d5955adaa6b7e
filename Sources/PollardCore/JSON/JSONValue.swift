// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259).
package struct JSONValue: Sendable {
}
