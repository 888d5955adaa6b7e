// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// The path of a URL, in which interpolated values can't change what the path means.
///
/// ```swift
/// let path: URLPath = "/repos/\(owner)/\(name)/releases"
/// ```
///
/// Each interpolated value becomes one segment or a part of one: a slash, a question mark or a
/// percent sign in it is encoded. A segment of values only can't be empty, nor `.` or `..`: a request
/// to delete `/people/` is not one to delete a person without an id; it fails with
/// `NetworkError.Code.invalidURL`. Text around it is a path already: slashes separate segments,
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
                ?? stringInterpolation.emptySegment.map(Self.problem(withEmptySegmentAfter:))
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

    private static func problem(withEmptySegmentAfter text: String) -> String {
        "the path has an empty value "
            + (text.isEmpty ? "at its beginning" : "after '\(text)'")
            + "; it would be the path of something else"
    }

    /// Collects the parts of an interpolated literal, encoding each as it comes.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var problem: String?
        fileprivate var hasValues = false
        /// What stands before a segment that is empty up to now although it has a value.
        fileprivate var emptySegment: String?

        /// Makes room for a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        /// Adds text that is a path already.
        public mutating func appendLiteral(_ literal: String) {
            noteEmptySegment(before: literal)
            text += PercentEncoding.path(literal)
            problem = problem ?? URLPath.problem(in: literal)
        }

        /// Adds a value of which every reserved character is encoded.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            append(String(value))
        }

        /// Adds an identifier as RFC 9562 has it: in lower case, with hyphens.
        public mutating func appendInterpolation(_ value: UUID) {
            append(value.uuidString.lowercased())
        }

        private mutating func append(_ value: String) {
            hasValues = true
            if !value.isEmpty {
                emptySegment = nil
            } else if emptySegment == nil, text.isEmpty || text.hasSuffix("/") {
                emptySegment = text
            }
            text += PercentEncoding.value(value)
            problem = problem ?? value.firstControlCharacter.map { "a path value has \($0)" }
        }

        /// A literal ends a segment, or goes on with it.
        private mutating func noteEmptySegment(before literal: String) {
            guard let before = emptySegment, let first = literal.unicodeScalars.first else {
                return
            }
            if first == "/" {
                problem = problem ?? URLPath.problem(withEmptySegmentAfter: before)
            }
            emptySegment = nil
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
