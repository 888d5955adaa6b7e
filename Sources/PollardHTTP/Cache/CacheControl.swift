// SPDX-License-Identifier: Apache-2.0

/// The directives of the `Cache-Control` fields of a request or an answer (RFC 9111, 5.2).
///
/// Names are compared without regard to case; of a name that repeats, the first counts. A number
/// that can't be read counts as 0, so that nothing is taken for fresh by mistake (4.2.1).
struct CacheControl: Sendable, Hashable {
    private var arguments: [String: String?] = [:]

    /// Reads the directives.
    init(_ fields: HTTPFields) {
        for line in fields[values: "Cache-Control"] {
            for member in line.splitOutsideQuotes(at: ",") {
                let parts = member.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = parts.first, !name.isEmpty else { continue }
                // A blank before the sign is a mistake; the directive counts, its value does not.
                let key = String(name).trimmed.lowercased()
                guard arguments[key] == nil else { continue }
                let isWellFormed = String(name) == String(name).trimmed
                arguments[key] =
                    parts.count == 2 ? (isWellFormed ? String(parts[1]).unquoted : "") : .some(nil)
            }
        }
    }

    /// Whether there is a directive of this name, with an argument or without.
    func has(_ name: String) -> Bool { arguments[name] != nil }

    /// Whether there is a directive of this name without an argument.
    func isPlain(_ name: String) -> Bool {
        guard let argument = arguments[name] else { return false }
        return argument == nil
    }

    /// The number of a directive, in seconds; nil without the directive.
    func seconds(_ name: String) -> Int64? {
        guard let argument = arguments[name] else { return nil }
        return argument.flatMap { Seconds.parse($0) } ?? 0
    }

    /// The field names that a directive lists, in lower case.
    func fieldNames(_ name: String) -> [String] {
        guard let argument = arguments[name] ?? nil else { return [] }
        return argument.split(separator: ",").map { String($0).trimmed.lowercased() }
    }
}

/// Numbers of seconds in header fields (RFC 9111, 1.2.2).
enum Seconds {
    /// Digits; what is larger than 2^31 counts as 2^31, as the RFC has it.
    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? maximum, maximum)
    }

    private static let maximum: Int64 = 1 << 31
}

extension String {
    /// Without blanks around it.
    var trimmed: String {
        let blanks: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let scalars = unicodeScalars.drop(while: blanks)
        return String(String.UnicodeScalarView(scalars.reversed().drop(while: blanks).reversed()))
    }

    /// The content of a quoted string (RFC 9110, 5.6.4), or the text itself.
    fileprivate var unquoted: String {
        guard unicodeScalars.first == "\"", unicodeScalars.last == "\"", utf8.count > 1 else {
            return self
        }
        var content = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in unicodeScalars.dropFirst().dropLast() {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
            } else {
                content.append(scalar)
                isEscaped = false
            }
        }
        return String(content)
    }

    /// The members of a list (RFC 9110, 5.6.1), trimmed; a separator within quotes is none.
    func splitOutsideQuotes(at separator: Unicode.Scalar) -> [String] {
        var members: [String] = []
        var member = String.UnicodeScalarView()
        var (isQuoted, isEscaped) = (false, false)
        for scalar in unicodeScalars {
            if scalar == separator, !isQuoted {
                members.append(String(member).trimmed)
                member = String.UnicodeScalarView()
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && scalar == "\\" && !isEscaped
            member.append(scalar)
        }
        members.append(String(member).trimmed)
        return members.filter { !$0.isEmpty }
    }
}
