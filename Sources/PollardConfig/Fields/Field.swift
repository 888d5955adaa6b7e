// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// A value in the configuration under the name by which messages call it.
///
/// Each reading function answers nil if the value is wrong, after it has said so.
struct Field {
    let name: String
    let node: YAMLNode
    let file: SourceFile
    let log: DiagnosticLog

    /// Where the value is.
    var place: Place { Place(file: file, mark: node.mark) }

    /// Says what is wrong with the value, at the value.
    func error(_ message: String, hint: String? = nil) {
        log.error(message, in: file, at: node.mark, hint: hint)
    }

    /// Says that the value is not `expected`, as in `a list`.
    func typeError(_ expected: String, hint: String? = nil) {
        if case .scalar(let scalar) = node.content, scalar.type == .null {
            error("'\(name)' has no value", hint: hint ?? "give it one, or remove the key")
        } else {
            error("'\(name)' must be \(expected), not \(node.kind)", hint: hint)
        }
    }

    /// The value under a key of this map, or an item of this list.
    func member(_ node: YAMLNode, name: String? = nil) -> Field {
        Field(name: name ?? self.name, node: node, file: file, log: log)
    }

    // MARK: - Scalars

    /// Text that is not empty.
    ///
    /// - Parameter isSecret: Whether the value must not be shown.
    /// - Returns: The text; nil if it is empty or something else.
    func text(isSecret: Bool = false) -> String? {
        guard case .scalar(let scalar) = node.content, scalar.type == .text else {
            typeError("text", hint: isSecret ? nil : quotingHint)
            return nil
        }
        guard !scalar.text.isEmpty else {
            error("'\(name)' is empty")
            return nil
        }
        return scalar.text
    }

    private var quotingHint: String? {
        guard case .scalar(let scalar) = node.content, scalar.type != .null else { return nil }
        return "quote it: \"\(scalar.text.shown)\""
    }

    /// Text, or a number or truth value as it is written; `what` says what else could stand here.
    func looseText(or what: String = "") -> String? {
        guard case .scalar(let scalar) = node.content, scalar.type != .null else {
            typeError("text\(what)", hint: isNull ? "write \"\" for an empty text" : nil)
            return nil
        }
        return scalar.text
    }

    private var isNull: Bool {
        guard case .scalar(let scalar) = node.content else { return false }
        return scalar.type == .null
    }

    /// `true` or `false`.
    func flag() -> Bool? {
        if case .scalar(let scalar) = node.content {
            if case .boolean(let value) = scalar.type { return value }
            switch scalar.text.lowercased() {
            case "yes", "y", "on", "true", "1":
                typeError("true or false", hint: "write true")
                return nil
            case "no", "n", "off", "false", "0":
                typeError("true or false", hint: "write false")
                return nil
            default: break
            }
        }
        typeError("true or false")
        return nil
    }

    /// A whole number within `range`.
    func integer(in range: ClosedRange<Int>) -> Int? {
        guard case .scalar(let scalar) = node.content, scalar.type == .integer else {
            if case .scalar(let scalar) = node.content, scalar.type == .decimal {
                error("'\(name)' must be a whole number, not \(scalar.text.shown)")
            } else {
                typeError("a whole number", hint: unquotingHint)
            }
            return nil
        }
        guard let value = scalar.integer, range.contains(value) else {
            error(
                "'\(name)' must be from \(range.lowerBound) to \(range.upperBound), "
                    + "not \(scalar.text.shown)")
            return nil
        }
        return value
    }

    private var unquotingHint: String? {
        guard case .scalar(let scalar) = node.content, scalar.type == .text,
            YAMLScalar(scalar.text, isPlain: true).type == .integer
        else { return nil }
        return "remove the quotes"
    }

    /// One of the words that `meanings` gives a value to.
    func choice<Value>(of meanings: [(word: String, value: Value)]) -> Value? {
        let words = meanings.map(\.word)
        guard case .scalar(let scalar) = node.content, scalar.type != .null else {
            typeError("one of \(words.quoted)")
            return nil
        }
        if let found = meanings.first(where: { $0.word == scalar.text }) { return found.value }
        error(
            "'\(name)' must be one of \(words.quoted), not '\(scalar.text.shown)'",
            hint: Suggestion.hint(for: scalar.text, among: words))
        return nil
    }

    // MARK: - Collections

    /// The items of a list with at most `maximum` of them.
    func items(atMost maximum: Int = .max) -> [Field]? {
        guard case .sequence(let items) = node.content else {
            typeError("a list", hint: isNull ? nil : "begin each item with '- '")
            return nil
        }
        guard items.count <= maximum else {
            error("'\(name)' has \(items.count) items, more than \(maximum)")
            return nil
        }
        return items.map { member($0) }
    }

    /// The entries of a map whose keys are the operator's own.
    func entries(atMost maximum: Int = .max) -> [FieldMap.Entry]? {
        guard case .mapping(let entries) = node.content else {
            typeError("a map")
            return nil
        }
        guard entries.count <= maximum else {
            error("'\(name)' has \(entries.count) entries, more than \(maximum)")
            return nil
        }
        return entries.map { entry in
            FieldMap.Entry(
                key: entry.key, keyPlace: Place(file: file, mark: entry.keyMark),
                value: member(entry.value, name: entry.key.shown))
        }
    }

    /// A map with the keys of `table`; every other key in it is an error.
    func map(_ table: KeyTable) -> FieldMap? {
        guard let entries = entries() else { return nil }
        return FieldMap(entries, of: self, table: table)
    }
}

extension YAMLScalar {
    /// The value of an integer that fits into 64 bits.
    var integer: Int? {
        if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
        return Int(text)
    }
}

extension [String] {
    /// The words in quotes, as in `'a', 'b', 'c'`.
    var quoted: String { map { "'\($0)'" }.joined(separator: ", ") }
}
