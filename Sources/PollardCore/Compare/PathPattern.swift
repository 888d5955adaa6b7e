// SPDX-License-Identifier: Apache-2.0

/// A JSON Pointer (RFC 6901) in which `*` stands for one step and `**` for any number of steps.
///
/// `**` also stands for none: `/**/a` matches `/a`, and `/a/**` matches `/a` and all below it.
package struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    package enum Step: Sendable, Hashable {
        /// A key, or a list index in decimal.
        case key(String)
        case any
        case anyDepth
    }

    /// The most steps of a pattern: what a word of 64 bits follows in one operation.
    package static let maximumSteps = 63

    package let steps: [Step]

    /// Parses `text`, as in `/nodes/*/uptime` or `/**/timestamp`.
    ///
    /// - Throws: `PathPatternError` for a text without a leading slash, with a bad escape, or
    ///   with more than `maximumSteps` steps.
    package init(_ text: String) throws(PathPatternError) {
        let tokens = try JSONPointer.tokens(of: text)
        guard tokens.count <= Self.maximumSteps else {
            throw PathPatternError(message: "a path has at most \(Self.maximumSteps) steps")
        }
        steps = tokens.map { token in
            switch token {
            case "*": .any
            case "**": .anyDepth
            default: .key(token)
            }
        }
    }

    /// The pattern as text, escaped.
    package var description: String {
        steps.map { step in
            switch step {
            case .key(let key): "/" + JSONPointer.escape(key)
            case .any: "/*"
            case .anyDepth: "/**"
            }
        }.joined()
    }

    /// The pattern as a pointer; nil if it has wildcards.
    var pointer: JSONPointer? {
        var tokens: [String] = []
        for step in steps {
            guard case .key(let key) = step else { return nil }
            tokens.append(key)
        }
        return JSONPointer(tokens: tokens)
    }
}

/// Why a text is no path pattern.
package struct PathPatternError: Error, Sendable, Equatable {
    /// One lower-case clause, as in `a path begins with '/'`.
    package let message: String
}
