// SPDX-License-Identifier: Apache-2.0

/// One event ready to be written: what the journal, a terminal and JSON lines all show.
package struct EventEntry: Sendable, Equatable {
    package var id: MessageID
    package var priority: JournalPriority
    /// One line, or a line and details below it.
    package var message: String
    /// Journal fields beside MESSAGE, MESSAGE_ID and PRIORITY, in order.
    package var fields: [Field]

    package init(
        id: MessageID, priority: JournalPriority, message: String, fields: [Field] = []
    ) {
        self.id = id
        self.priority = priority
        self.message = message
        self.fields = fields
    }

    /// A journal field: upper-case name, any text as value.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
