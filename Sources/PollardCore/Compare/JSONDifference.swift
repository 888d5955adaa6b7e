// SPDX-License-Identifier: Apache-2.0

/// Walks two JSON documents side by side and reports what differs.
///
/// The recursion is as deep as the documents, so at most `JSONDocument.maximumDepth`.
struct JSONDifference {
    typealias Place = RulesMatcher.Place

    let old: JSONDocument
    let new: JSONDocument
    let equality: JSONEquality
    let matcher: RulesMatcher
    let oldHashes: RuledHashes
    let newHashes: RuledHashes
    var path = DifferencePath()
    var report: DifferenceReport
    /// What tells the item around the current place apart; empty outside of such items.
    var notes: [ItemNote] = []
    /// How many more nodes may be compared before lists are compared by hashes only.
    ///
    /// Lists in lists whose last items differ would else be compared once for each level.
    var comparisonBudget: Int

    /// The identity of an item: the key that holds it, and its index on the new tape.
    struct ItemNote {
        var label: String
        var index: Int
    }

    /// The summary of what differs from `old` to `new`; nil if nothing does under `rules`.
    static func summary(
        old: JSONValue, new: JSONValue, rules: ComparisonRules, bounds: DifferenceBounds = .event
    ) -> ChangeSummary? {
        var difference = JSONDifference(
            old: old.document, new: new.document, rules: rules, bounds: bounds)
        let start = difference.matcher.start
        if !difference.matcher.isIgnored(start) {
            difference.compare(old.index, new.index, start)
        }
        return difference.report.finished()
    }

    private init(
        old: JSONDocument, new: JSONDocument, rules: ComparisonRules, bounds: DifferenceBounds
    ) {
        report = DifferenceReport(bounds: bounds)
        self.old = old
        self.new = new
        equality = JSONEquality(old: old, new: new)
        matcher = RulesMatcher(rules)
        oldHashes = RuledHashes(old, ignore: matcher.ignore)
        newHashes = RuledHashes(new, ignore: matcher.ignore)
        comparisonBudget = 8 * max(old.tape.count, new.tape.count)
    }

    /// Reports what differs between the values at `left` and `right`, which are at `place`.
    mutating func compare(_ left: Int, _ right: Int, _ place: Place) {
        let node = old.tape[left]
        let other = new.tape[right]
        guard node.kind == other.kind else {
            update(left, right)
            return
        }
        switch node.kind {
        case .object: compareObjects(left, right, place)
        case .array: compareLists(left, right, place)
        default: if !equality.areEqual(left, right) { update(left, right) }
        }
    }

    private mutating func compareObjects(_ left: Int, _ right: Int, _ place: Place) {
        let isPlain = place.ignore.isIdle && place.identity.isIdle
        var pairs = MemberPairs(old: old, left, new: new, right)
        while let pair = pairs.next() {
            var inner = place
            if !isPlain {
                inner =
                    pair.new < 0
                    ? matcher.step(place, key: pair.old - 1, of: old)
                    : matcher.step(place, key: pair.new - 1, of: new)
                if matcher.isIgnored(inner) { continue }
            }
            if pair.new < 0 {
                removeMember(pair.old)
            } else if pair.old < 0 {
                addMember(pair.new)
            } else {
                path.push(.newKey(pair.new &- 1))
                compare(pair.old, pair.new, inner)
                path.pop()
            }
        }
    }

    private mutating func removeMember(_ index: Int) {
        let pointer = pointer(.oldKey(index - 1))
        report.removed(pointer, oldValue(index))
        report.patch.remove(pointer)
    }

    private mutating func addMember(_ index: Int) {
        let pointer = pointer(.newKey(index - 1))
        report.added(pointer, newValue(index))
        report.patch.add(pointer, newValue(index))
    }

    private mutating func update(_ left: Int, _ right: Int) {
        let pointer = pointer()
        let note = note()
        report.updated(pointer, oldValue(left), newValue(right), note: note)
        report.patch.replace(pointer, newValue(right))
    }

    func oldValue(_ index: Int) -> JSONValue { JSONValue(document: old, index: index) }

    func newValue(_ index: Int) -> JSONValue { JSONValue(document: new, index: index) }

    /// The JSON Pointer to the current place, or one step further; empty once it is of no use.
    func pointer(_ last: DifferencePath.Step? = nil) -> [UInt8] {
        report.isFull ? [] : path.pointer(last, old: old, new: new)
    }

    /// As in ` (id 7)`, for the innermost item that has an identity.
    func note() -> String {
        guard let note = notes.last, !report.isFull else { return "" }
        let value = DifferenceReport.text(newValue(note.index), maximumLength: 40)
        return " (\(SafeText.line(note.label, maximumLength: 40)) \(value))"
    }
}
