// SPDX-License-Identifier: Apache-2.0

/// Gathers the differences of two JSON documents into a `ChangeSummary`.
///
/// Lines name places in the new document, but a removed item by its place in the old list. The
/// patch names places as they are when its operations are applied one after the other.
struct DifferenceReport {
    /// How much of a value is shown, in characters, before it is cut.
    static let maximumValueLength = 120
    /// How much of a pointer is shown, in characters, before it is cut.
    static let maximumPointerLength = 200
    /// The remarks that are kept: one list may hold many lists with the same trouble.
    static let maximumRemarks = 5

    private(set) var summary = ChangeSummary()
    var patch: JSONPatchWriter
    private let maximumLines: Int

    init(bounds: DifferenceBounds) {
        patch = JSONPatchWriter(maximumBytes: bounds.patchBytes)
        maximumLines = bounds.lines
    }

    /// Whether further differences are only counted, so that their places need not be known.
    var isFull: Bool {
        patch.isTruncated && summary.lines.count == maximumLines
    }

    /// The summary; nil if nothing differs.
    func finished() -> ChangeSummary? {
        guard summary.added + summary.removed + summary.updated + summary.moved > 0 else {
            return nil
        }
        var summary = summary
        summary.patch = patch.text
        summary.isPatchTruncated = patch.isTruncated
        return summary
    }

    mutating func added(_ pointer: [UInt8], _ value: JSONValue) {
        summary.added += 1
        line { "+ \(Self.text(pointer)) \(Self.text(value))" }
    }

    mutating func removed(_ pointer: [UInt8], _ value: JSONValue) {
        summary.removed += 1
        line { "- \(Self.text(pointer)) \(Self.text(value))" }
    }

    mutating func updated(
        _ pointer: [UInt8], _ old: JSONValue, _ new: JSONValue,
        note: String
    ) {
        summary.updated += 1
        line { "~ \(Self.text(pointer)) \(Self.text(old)) -> \(Self.text(new))\(note)" }
    }

    mutating func moved(
        _ pointer: [UInt8], from old: [UInt8],
        note: String
    ) {
        summary.moved += 1
        line { "> \(Self.text(pointer)) from \(Self.text(old))\(note)" }
    }

    /// Tells what a reader must know to trust the differences.
    mutating func remark(_ text: String) {
        if summary.remarks.count < Self.maximumRemarks { summary.remarks.append(text) }
    }

    private mutating func line(_ text: () -> String) {
        if summary.lines.count < maximumLines {
            summary.lines.append(text())
        } else {
            summary.furtherLines += 1
        }
    }

    /// `pointer` for a line; the whole document is `/`-less, so it is named.
    static func text(_ pointer: [UInt8]) -> String {
        pointer.isEmpty
            ? "(document)" : SafeText.line(pointer, maximumLength: maximumPointerLength)
    }

    /// `value` for a line.
    static func text(_ value: JSONValue, maximumLength: Int = maximumValueLength) -> String {
        // A character has at most four bytes.
        var writer = JSONWriter(limit: maximumLength * 4)
        writer.append(value)
        return SafeText.line(writer.text, maximumLength: maximumLength)
    }
}
