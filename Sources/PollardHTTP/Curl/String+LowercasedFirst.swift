// SPDX-License-Identifier: Apache-2.0

extension String {
    /// With a lower-case first letter, as a clause inside a message; `TLS` and `SSL` stay.
    var lowercasedFirst: String {
        guard let first, !dropFirst().prefix(1).contains(where: \.isUppercase) else { return self }
        return first.lowercased() + dropFirst()
    }
}
