// SPDX-License-Identifier: Apache-2.0

/// A failure in libyaml's words, and its translation into ours.
struct YAMLProblem {
    var problem: String
    /// What libyaml was doing, as in `while scanning a quoted scalar`.
    var context: String
    var mark: Mark
    /// Where that began.
    var contextMark: Mark
    /// Set if the characters themselves are at fault; then the marks mean nothing.
    var byteOffset: Int?

    /// The error to show for this failure in `bytes`.
    func error(in bytes: [UInt8]) -> YAMLError {
        let end = Mark.place(ofByteAt: bytes.count, in: bytes)
        if byteOffset == nil, mark > end {
            // libyaml ends a text without a last line break on a line of its own.
            var inside = self
            inside.mark = end
            return inside.error(in: bytes)
        }
        if let byteOffset {
            return YAMLError(
                at: .place(ofByteAt: byteOffset, in: bytes),
                "the text has a control character", hint: "remove it, or write it as \"\\x..\"")
        }
        switch problem {
        case "found character that cannot start any token": return badStart(in: bytes)
        case "mapping values are not allowed in this context": return badColon(in: bytes)
        case "did not find expected ',' or ']'": return unclosed("list", "[", "]")
        case "did not find expected ',' or '}'": return unclosed("map", "{", "}")
        default: return translated()
        }
    }

    private func translated() -> YAMLError {
        if context.hasPrefix("while scanning a quoted scalar"),
            problem.hasPrefix("found unexpected")
        {
            return YAMLError(at: contextMark, "the quoted text that begins here has no end")
        }
        if context.contains("anchor") || context.contains("alias") {
            return YAMLError(
                at: contextMark, "'&' and '*' at the start of a value have a meaning in YAML",
                hint: "quote the value")
        }
        if context.contains("directive") || problem.contains("directive") {
            return YAMLError(
                at: Mark(line: mark.line, column: 1),
                "a line that begins with '%' is a YAML directive",
                hint: "remove the line")
        }
        if context.contains("tag") || problem.contains("tag") {
            return YAMLError(
                at: contextMark, "tags, which begin with '!', are not allowed",
                hint: "quote the value")
        }
        if context == "while parsing a flow node" {
            return YAMLError(at: mark, "a value is expected here, or the end of the list or map")
        }
        if let (message, hint) = Self.translations[problem] {
            return YAMLError(at: mark, message, hint: hint)
        }
        return YAMLError(at: mark, "this is not valid YAML: \(problem)")
    }

    /// The characters of the problem's line, up to the problem and from it on.
    private func line(
        in bytes: [UInt8]
    ) -> (before: Substring.UnicodeScalarView, after: Substring.UnicodeScalarView) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = mark.line <= lines.count ? lines[mark.line - 1] : []
        let scalars = String(decoding: line, as: UTF8.self)[...].unicodeScalars
        return (scalars.prefix(mark.column - 1), scalars.dropFirst(mark.column - 1))
    }

    private func badStart(in bytes: [UInt8]) -> YAMLError {
        guard let character = line(in: bytes).after.first, character != "\t" else {
            return YAMLError(
                at: mark, "a tab is not allowed in front of a key or value", hint: "use spaces")
        }
        return YAMLError(
            at: mark, "a value must not begin with '\(String(character).shown)'", hint: "quote it")
    }

    private func badColon(in bytes: [UInt8]) -> YAMLError {
        if line(in: bytes).before.contains(":") {
            return YAMLError(
                at: mark, "a value must not have ': ' in it", hint: "quote the value")
        }
        return YAMLError(
            at: mark, "this key does not fit the line before it",
            hint: "is a ':' or the space after it missing there, or is the indentation wrong?")
    }

    private func unclosed(_ what: String, _ start: String, _ end: String) -> YAMLError {
        YAMLError(
            at: mark, "',' or '\(end)' is expected here",
            hint: "the \(what) begins with '\(start)' on line \(contextMark.line)")
    }

    private static let indentation = "check the indentation of this line and of the one before"

    /// libyaml 0.2's texts (scanner.c, parser.c) that an operator may meet.
    private static let translations: [String: (message: String, hint: String?)] = [
        "found a tab character that violates indentation":
            ("a tab is not allowed as indentation", "use spaces"),
        "found a tab character where an indentation space is expected":
            ("a tab is not allowed as indentation", "use spaces"),
        "mapping keys are not allowed in this context":
            ("a key is not allowed here", indentation),
        "block sequence entries are not allowed in this context":
            ("a list entry '-' is not allowed here", "put the list on lines of its own"),
        "could not find expected ':'":
            ("the line before this one is no 'key: value'", "it lacks a ':', or a space after it"),
        "did not find expected key":
            ("this line does not fit the map around it", indentation),
        "did not find expected '-' indicator":
            ("this line does not fit the list around it", indentation),
        "did not find expected node content":
            ("a value is expected here", nil),
        "did not find expected <document start>":
            ("this line does not belong to the document above", indentation),
        "found unexpected ':'":
            ("a ':' is not allowed in text in '[...]' or '{...}'", "quote the value"),
        "found incompatible YAML document":
            ("the file says that it is another version of YAML", "remove the line with '%YAML'"),
        "found unknown escape character":
            ("unknown escape in text in double quotes", "write '\\\\' for a backslash"),
        "did not find expected hexdecimal number":
            ("bad escape in text in double quotes", "'\\x' needs 2 hexadecimal digits, '\\u' 4"),
        "found invalid Unicode character escape code":
            ("bad escape in text in double quotes", "it stands for no Unicode character"),
        "did not find expected comment or line break":
            ("only a comment may follow here", "begin the text on the next line"),
        "found an indentation indicator equal to 0":
            ("the indentation after '|' or '>' is from 1 to 9", nil),
        "found unexpected end of stream":
            ("the file ends within a value", nil),
    ]
}
