// SPDX-License-Identifier: Apache-2.0

/// Why a configuration can't be used: everything that is wrong with it, not only the first.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one, in the order of the files and the places in them.
    package let diagnostics: [ConfigurationDiagnostic]

    package init(diagnostics: [ConfigurationDiagnostic]) { self.diagnostics = diagnostics }

    /// One diagnostic a line.
    package var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}
