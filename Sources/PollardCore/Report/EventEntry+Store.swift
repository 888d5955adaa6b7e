// SPDX-License-Identifier: Apache-2.0

/// The events of a store that does not work, and works again.
extension EventEntry {
    /// The store does not work: polling goes on, and what can't be stored now is stored, and only
    /// then reported, later.
    ///
    /// - Parameters:
    ///   - cause: What is wrong, and what to do.
    ///   - work: What the store could not do.
    /// - Returns: The entry.
    package static func storeTrouble(_ cause: String, _ work: StoreHealth.Work) -> EventEntry {
        .storeTrouble(.crit, "store trouble: \(cause); continuing, \(work.consequence)", cause)
    }

    /// The store works again.
    ///
    /// - Parameter count: The number of changes that waited for it and are stored.
    /// - Returns: The entry.
    package static func storeRecovered(storedLate count: Int) -> EventEntry {
        let late =
            switch count {
            case 0: ""
            case 1: "; 1 change that waited is stored"
            default: "; \(count.grouped) changes that waited are stored"
            }
        return .storeTrouble(.notice, "store trouble is over\(late)")
    }

    /// There is no room for a further change to wait.
    ///
    /// - Parameters:
    ///   - pending: What waits.
    ///   - name: The endpoint that changed.
    /// - Returns: The entry.
    package static func storeBacklogFull(
        _ pending: PendingChanges, _ name: EndpointName
    ) -> EventEntry {
        .storeTrouble(
            .crit,
            """
            store trouble: there is no room in memory for a change of \(name) \
            (\(pending.waitText)); continuing, its next poll is compared with what was kept last
            """)
    }

    /// The process ends, and what waited could not be stored.
    package static func changesLost(_ pending: PendingChanges) -> EventEntry {
        let counts = pending.counts.sorted { $0.key < $1.key }
        let named = counts.prefix(Self.maximumNames).map { "\($0.key) (\($0.value.grouped))" }
        let further = counts.count - named.count
        let names = named + (further > 0 ? ["\(further.grouped) more"] : [])
        return .storeTrouble(
            .crit,
            """
            store trouble: \(pending.count.counted("change")) could not be stored before the end: \
            \(names.joined(separator: ", ")); \
            the next start tells what differs then from what is stored
            """)
    }

    /// The store can't be used at all, so that the process ends.
    package static func storeUnusable(_ cause: String) -> EventEntry {
        .storeTrouble(.crit, "store trouble: \(cause)", cause)
    }

    /// Names of endpoints in one message: as many as a line or two can hold.
    private static let maximumNames = 10

    private static func storeTrouble(
        _ priority: JournalPriority, _ message: String, _ cause: String? = nil
    ) -> EventEntry {
        var entry = EventEntry(
            id: .storeTrouble, priority: priority, message: message,
            fields: [Field("POLLARD_KIND", MessageID.storeTrouble.kind)])
        if let cause { entry.fields.append(Field("POLLARD_ERROR", cause)) }
        return entry
    }
}

extension StoreHealth.Work {
    /// What follows while the store can't do it, as a clause.
    fileprivate var consequence: String {
        switch self {
        case .change: "changes wait in memory"
        case .comparison: "the next answer is compared again"
        case .notes: "what is noted of polls waits in memory"
        case .states: "endpoints that were added begin without what is stored of them"
        case .leftOver: "what the last run did not report is told later"
        }
    }
}

extension PendingChanges {
    /// How much waits, as in `3 changes wait to be stored`.
    package var waitText: String {
        "\(count.counted("change")) \(count == 1 ? "waits" : "wait") to be stored"
    }
}
