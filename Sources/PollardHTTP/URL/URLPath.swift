// SPDX-License-Identifier: Apache-2.0

/// The path of a URL, in which interpolated values can't change what the path means.
///
/// ```swift
/// let path: URLPath = "/repos/\(owner)/\(name)/releases"
/// ```
///
/// Each interpolated value becomes one segment or a part of one: a slash, a question mark or a
/// percent sign in it is encoded. Text around it is a path already: slashes separate segments,
/// triplets like `%2F` are kept, and what no path can hold, as spaces and non-ASCII letters, is
/// encoded.
public struct URLPath: Sendable, Hashable, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    /// The path as it stands in a URL.
    public let description: String
    /// What is wrong with the path, if anything: one lower-case clause.
    let problem: String?

    /// Takes a text that is a path already; triplets like `%2F` in it are kept.
    public init(_ text: String) {
        self.init(encoded: PercentEncoding.path(text), problem: Self.problem(in: text))
    }

    /// Takes a literal as `init(_:)` does.
    public init(stringLiteral value: String) { self.init(value) }

    /// Joins the parts of an interpolated literal.
    public init(stringInterpolation: StringInterpolation) {
        let hasClimber =
            stringInterpolation.hasValues
            && stringInterpolation.text.split(separator: "/").contains { $0 == "." || $0 == ".." }
        self.init(
            encoded: stringInterpolation.text,
            problem: stringInterpolation.problem
                ?? (hasClimber
                    ? "the path has a segment '.' or '..' once values are filled in" : nil))
    }

    private init(encoded: String, problem: String?) {
        description = encoded
        self.problem = problem
    }

    private static func problem(in text: String) -> String? {
        if let control = text.firstControlCharacter { return "the path has \(control)" }
        if text.utf8.contains(UInt8(ascii: "?")) {
            return "the path has a '?'; give query items, or write '%3F' if it is part of the path"
        }
        if text.utf8.contains(UInt8(ascii: "#")) {
            return "the path has a '#'; write '%23' if it is part of the path"
        }
        return nil
    }

    /// Collects the parts of an interpolated literal, encoding each as it comes.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var problem: String?
        fileprivate var hasValues = false

        /// Makes room for a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        /// Adds text that is a path already.
        public mutating func appendLiteral(_ literal: String) {
            text += PercentEncoding.path(literal)
            problem = problem ?? URLPath.problem(in: literal)
        }

        /// Adds a value of which every reserved character is encoded.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            hasValues = true
            let value = String(value)
            text += PercentEncoding.value(value)
            problem = problem ?? value.firstControlCharacter.map { "a path value has \($0)" }
        }
    }
}

extension String {
    /// The first control character (C0 or DEL) and its place, as `a control character (U+000A) at
    /// byte 3`; nil if there is none.
    var firstControlCharacter: String? {
        utf8.enumerated().first { $1 < 0x20 || $1 == 0x7F }.map { place, byte in
            let code = String(byte, radix: 16, uppercase: true)
            let zeros = String(repeating: "0", count: 4 - code.count)
            return "a control character (U+\(zeros)\(code)) at byte \(place)"
        }
    }
}
