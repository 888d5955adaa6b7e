// SPDX-License-Identifier: Apache-2.0

/// What counts as a difference between two snapshots of an endpoint.
package struct ComparisonRules: Sendable, Hashable {
    /// Values at these places are not compared.
    package var ignore: [PathPattern] = []
    /// How the items of lists are told apart.
    package var identity: [IdentityRule] = []

    package init() {}
}

/// A JSON Pointer (RFC 6901) in which `*` stands for one step and `**` for any number of steps.
package struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    package enum Step: Sendable, Hashable {
        /// A key, or a list index in decimal.
        case key(String)
        case any
        case anyDepth
    }

    package let steps: [Step]

    /// Parses `text`, as in `/nodes/*/uptime` or `/**/timestamp`.
    ///
    /// - Throws: `PathPatternError` for a text without a leading slash or with a bad escape.
    package init(_ text: String) throws(PathPatternError) {
        throw PathPatternError(message: "not yet")
    }

    package var description: String { "" }
}

/// Why a text is no path pattern.
package struct PathPatternError: Error, Sendable, Equatable {
    /// One lower-case clause, as in `a path begins with '/'`.
    package let message: String
}

/// How the items of one list, or of every list, are told apart.
package struct IdentityRule: Sendable, Hashable {
    /// The list's place; nil for the list at the top of the document.
    package var list: PathPattern?
    package var identity: Identity

    package init(list: PathPattern?, identity: Identity) {
        self.list = list
        self.identity = identity
    }

    package enum Identity: Sendable, Hashable {
        /// The value at this pointer inside the item; `id` in a configuration is `/id`.
        case pointer(PathPattern)
        /// The whole item: order does not matter.
        case wholeItem
    }
}
