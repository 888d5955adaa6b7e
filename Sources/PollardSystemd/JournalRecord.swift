// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// An event as the fields that the journal takes: names checked, values bounded.
///
/// journald drops a field with a bad name, and a whole entry with too many, without a word; here
/// what is left out is named in the entry itself.
struct JournalRecord: Sendable, Equatable {
    /// The longest patch in bytes; whoever wants it has to ask journalctl(1) for all of it.
    static let maximumPatchBytes = 64 << 10
    /// The longest field in bytes, its name and the equals sign included: journalctl(1) shows none
    /// of 4096 and more as JSON, unless it is asked for all.
    static let maximumFieldBytes = 4095
    /// The longest name in characters, as journald has it.
    static let maximumNameLength = 64
    /// The most fields beside the record's own; journald takes 1024, itself adds some 30.
    static let maximumFields = 512
    /// The value of `SYSLOG_IDENTIFIER`, by which `journalctl --identifier` finds entries.
    static let identifier = "pollard"
    /// The field that names the fields left out, parted by spaces.
    static let omissionsName = "POLLARD_OMITTED_FIELDS"

    /// All fields in the order in which they are sent.
    let fields: [EventEntry.Field]

    init(_ entry: EventEntry) {
        var fields = [
            EventEntry.Field("MESSAGE", entry.message.printable),
            EventEntry.Field("MESSAGE_ID", entry.id.rawValue),
            EventEntry.Field("PRIORITY", String(entry.priority.rawValue)),
            EventEntry.Field("SYSLOG_IDENTIFIER", Self.identifier),
        ]
        let own = Set(fields.map(\.name) + [Self.omissionsName])
        var omitted: [String] = []
        var room = Self.maximumFields
        for field in entry.fields {
            if room > 0, Self.isValid(name: field.name), !own.contains(field.name) {
                fields.append(field)
                room -= 1
            } else {
                omitted.append(field.name.singleLine)
            }
        }
        if !omitted.isEmpty {
            fields.append(EventEntry.Field(Self.omissionsName, omitted.joined(separator: " ")))
        }
        self.fields = fields.map {
            EventEntry.Field($0.name, $0.value.truncated(toBytes: Self.maximumBytes(of: $0.name)))
        }
    }

    /// The longest value of a field, in bytes.
    static func maximumBytes(of name: String) -> Int {
        name == "POLLARD_PATCH" ? maximumPatchBytes : maximumFieldBytes - name.utf8.count - 1
    }

    /// Whether journald keeps a field of this name that a program sends
    /// (systemd.journal-fields(7)).
    static func isValid(name: String) -> Bool {
        guard (1...maximumNameLength).contains(name.utf8.count), let first = name.utf8.first,
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
