// SPDX-License-Identifier: Apache-2.0

/// A JSON value that can be made, changed and written at random.
indirect enum SampleTree {
    case literal(String)
    case number(Int)
    case string(String)
    case list([SampleTree])
    case object([(key: String, value: SampleTree)])

    static let keys = ["a", "b", "a/b", "m~n", "", "ts", "ä", "q\"", "t\n", "longer than a word"]

    /// A value of at most `depth` levels.
    static func random(_ generator: inout Generator, depth: Int) -> SampleTree {
        switch generator.below(depth > 0 ? 8 : 4) {
        case 0: return .literal(generator.pick(["true", "false", "null"]))
        case 1, 2: return .number(generator.below(20) - 5)
        case 3: return .string(generator.pick(["", "x", "é", "😀", "a \"b\" \\", "tab\t"]))
        case 4, 5:
            return .list((0..<generator.below(6)).map { _ in random(&generator, depth: depth - 1) })
        default:
            let chosen = keys.shuffled(using: &generator).prefix(generator.below(5))
            return .object(chosen.map { ($0, random(&generator, depth: depth - 1)) })
        }
    }

    /// A document with a list of objects that have an `id`, and lists of texts within.
    static func catalog(_ generator: inout Generator) -> SampleTree {
        let ids = Array(0..<12).shuffled(using: &generator).prefix(generator.below(9))
        let items = ids.map { id in
            SampleTree.object([
                ("id", .number(id)), ("price", .number(generator.below(9))),
                (
                    "tags",
                    .list((0..<generator.below(4)).map { _ in .string("t\(generator.below(5))") })
                ),
                ("more", random(&generator, depth: 2)),
            ])
        }
        return .object([("items", .list(items)), ("ts", .number(generator.below(99)))])
    }

    /// This value with some changes; at each place once in `odds` times.
    func changed(_ generator: inout Generator, odds: Int) -> SampleTree {
        let keepsKind = !generator.once(in: odds)
        switch self {
        case .literal, .number, .string:
            return keepsKind ? self : Self.random(&generator, depth: 1)
        case .list(var items):
            items = items.map { $0.changed(&generator, odds: odds) }
            if generator.once(in: 3), !items.isEmpty {
                items.remove(at: generator.below(items.count))
            }
            if generator.once(in: 3) {
                let item = Self.random(&generator, depth: 1)
                items.insert(item, at: generator.below(items.count + 1))
            }
            if generator.once(in: 4), items.count > 1 {
                let item = items.remove(at: generator.below(items.count))
                items.insert(item, at: generator.below(items.count + 1))
            }
            return .list(items)
        case .object(var members):
            members = members.map { ($0.key, $0.value.changed(&generator, odds: odds)) }
            if generator.once(in: 4), !members.isEmpty {
                members.remove(at: generator.below(members.count))
            }
            if generator.once(in: 4), let key = Self.keys.randomElement(using: &generator),
                !members.contains(where: { $0.key == key })
            {
                members.append((key, Self.random(&generator, depth: 1)))
            }
            return .object(generator.once(in: 3) ? members.shuffled(using: &generator) : members)
        }
    }

    /// This catalog with items removed, added, moved and changed; each keeps its own `id`.
    func changedCatalog(_ generator: inout Generator) -> SampleTree {
        guard case .object(let members) = self, case .list(var items) = members[0].value else {
            return self
        }
        items = items.filter { _ in !generator.once(in: 5) }.map { item in
            guard case .object(let members) = item else { return item }
            return .object(
                members.map { member in
                    let isKept = member.key == "id" || generator.once(in: 2)
                    return isKept ? member : (member.key, member.value.changed(&generator, odds: 3))
                })
        }
        for id in 100..<(100 + generator.below(4)) {
            let item = SampleTree.object([("id", .number(id)), ("price", .number(1))])
            items.insert(item, at: generator.below(items.count + 1))
        }
        for _ in 0..<generator.below(4) where !items.isEmpty {
            let item = items.remove(at: generator.below(items.count))
            items.insert(item, at: generator.below(items.count + 1))
        }
        if generator.once(in: 6) { items.shuffle(using: &generator) }
        return .object([("items", .list(items)), ("ts", .number(generator.below(99)))])
    }

    /// The value as JSON text, in one of the many ways to write it.
    func text(_ generator: inout Generator) -> String {
        switch self {
        case .literal(let text): return text
        case .number(let value):
            let tenfold = value == 0 ? "-0" : "\(value)0"
            return generator.pick(["\(value)", "\(value).0", "\(value)e0", "\(tenfold)E-1"])
        case .string(let text): return Self.quoted(text, &generator)
        case .list(let items):
            return "[" + items.map { $0.text(&generator) }.joined(separator: ", ") + "]"
        case .object(let members):
            let texts = members.map { member in
                Self.quoted(member.key, &generator) + ":" + member.value.text(&generator)
            }
            return "{" + texts.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String, _ generator: inout Generator) -> String {
        var result = "\""
        for unit in text.utf16 {
            let scalar = Unicode.Scalar(unit)
            let isPlain = scalar.map {
                $0.isASCII && $0.value >= 0x20 && !"\"\\".unicodeScalars.contains($0)
            }
            if isPlain == true, let scalar, !generator.once(in: 12) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
