// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// A map of the configuration whose keys are known beforehand.
struct FieldMap {
    /// A key with its place, and the value under it.
    struct Entry {
        let key: String
        let keyPlace: Place
        let value: Field

        /// Says what is wrong with the key, at the key.
        func error(_ message: String, hint: String? = nil) {
            value.log.error(message, in: keyPlace.file, at: keyPlace.mark, hint: hint)
        }
    }

    /// The map as a value.
    let field: Field
    let table: KeyTable
    private let entries: [Entry]
    private let hasUnknownKeys: Bool

    /// Takes `entries`, and says which of them `table` does not know.
    init(_ entries: [Entry], of field: Field, table: KeyTable) {
        self.field = field
        self.table = table
        self.entries = entries.filter { table.contains($0.key) }
        hasUnknownKeys = self.entries.count < entries.count
        for entry in entries where !table.contains(entry.key) { Self.refuse(entry, table) }
    }

    private static func refuse(_ entry: Entry, _ table: KeyTable) {
        if let hint = table.misplaced[entry.key] {
            return entry.error("'\(entry.key)' is not allowed here", hint: hint)
        }
        let hint =
            entry.value.log.isFull ? nil : Suggestion.hint(for: entry.key, among: table.keys)
        if table.isSecret {
            // A forgotten space after a ':' makes the value a part of the key.
            entry.error("unknown key", hint: hint ?? "use one of \(table.keys.quoted)")
        } else {
            entry.error("unknown key '\(entry.key.shown)'", hint: hint)
        }
    }

    /// The value under `key`, which must be one of the table's.
    subscript(key: String) -> Field? { entry(key)?.value }

    /// The entry of `key`, which must be one of the table's.
    func entry(_ key: String) -> Entry? {
        precondition(table.contains(key), "'\(key)' is missing in the table '\(table.name)'")
        return entries.first { $0.key == key }
    }

    /// The entries with one of `keys`, in the order of the file.
    func entries(among keys: [String]) -> [Entry] {
        entries.filter { keys.contains($0.key) }
    }

    /// The value under `key`; says so if there is none.
    func required(_ key: String, hint: String? = nil) -> Field? {
        if let value = self[key] { return value }
        field.error("'\(field.name)' needs the key '\(key)'", hint: hint)
        return nil
    }

    /// The only entry of the map; says so if there are none or several.
    func onlyEntry() -> Entry? {
        guard let first = entries.first else {
            // An unknown key was probably meant to be it, and has been said.
            if !hasUnknownKeys { field.error("'\(field.name)' needs one of \(table.keys.quoted)") }
            return nil
        }
        for entry in entries.dropFirst() {
            entry.error("'\(field.name)' takes only one of \(table.keys.quoted)")
        }
        return entries.count == 1 ? first : nil
    }
}
