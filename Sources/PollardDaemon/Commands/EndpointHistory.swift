// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardStore

/// A snapshot that was read from the store.
struct StoredContent {
    let snapshot: Snapshot
    /// The size of the body as received.
    let byteCount: Int
    let content: SnapshotContent
}

/// The stored snapshots of one endpoint, for the commands that show them.
///
/// Neither a daemon nor the secrets of the configuration are needed, and an endpoint that is no
/// longer configured still has its history.
struct EndpointHistory {
    /// Fewer digits of a digest name a snapshot by chance only.
    static let minimumDigits = 4
    /// The snapshots that an error lists.
    private static let maximumListed = 5

    /// The endpoint under the rules of today; without rules if it is no longer configured.
    let endpoint: WatchedEndpoint
    private let reader: StoreReader

    var name: EndpointName { endpoint.name }

    /// Opens the store and finds the endpoint.
    ///
    /// - Parameters:
    ///   - word: The name, or a start of it that no other endpoint has.
    ///   - paths: Where configuration and store are.
    ///   - output: Where it is said that the configuration has errors, and is not used.
    /// - Throws: `CommandFailure` if there is no such endpoint, or the store can't be read.
    init(
        _ word: String, at paths: DaemonPaths, remarks output: CommandOutput
    ) throws(CommandFailure) {
        let configuration =
            Configuration.readable(from: paths.configuration, remarks: output) ?? Configuration()
        let reader = try reading { () throws(StoreError) in
            try StoreReader(path: paths.store(configuration))
        }
        let stored = try reading { () throws(StoreError) in try reader.names() }
        let known = Set(stored).union(configuration.endpoints.map(\.name))
        let name = try KnownNames(
            names: known.sorted(), missing: "no endpoint '%' is configured or has a history"
        ).name(for: word)
        let configured = configuration.endpoints.first { $0.name == name }
        endpoint = WatchedEndpoint(configured ?? EndpointConfiguration(unconfigured: name))
        self.reader = reader
    }

    /// The last changes, newest first.
    ///
    /// - Parameters:
    ///   - limit: The most changes to read.
    ///   - number: Only changes with lower numbers are read; nil for all.
    /// - Returns: None if no snapshot is stored yet.
    /// - Throws: `CommandFailure` if the store can't be read.
    func changes(limit: Int, before number: Int64? = nil) throws(CommandFailure) -> [StoredChange] {
        try reading { () throws(StoreError) in
            try reader.changes(of: name, limit: limit, before: number)
        }
    }

    /// The last snapshot.
    ///
    /// - Throws: `CommandFailure` if there is none.
    func last() throws(CommandFailure) -> Snapshot {
        guard let change = try changes(limit: 1).first else { throw noSnapshot }
        return change.snapshot
    }

    /// The snapshot that `word` names: its number, or the start of its digest.
    ///
    /// - Throws: `CommandFailure` that says which there are, if it names none or several.
    func snapshot(_ word: String) throws(CommandFailure) -> Snapshot {
        if let number = Int64(word), let found = try change(number) { return found.snapshot }
        let found = Self.isDigestPrefix(word) ? try snapshots(digestPrefix: word) : []
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            let listed = found.map { "\($0.id) (\($0.digest.description.prefix(16)))" }
            throw CommandFailure(
                .noInput, "'\(word)' begins the digests of several snapshots of '\(name)'",
                hint: "write more of it, or a number: \(listed.joined(separator: ", "))")
        }
        let last = try last()
        throw CommandFailure(
            .noInput, "there is no snapshot '\(SafeText.line(word))' of '\(name)'",
            hint: """
                write a number or at least \(Self.minimumDigits) digits of a digest; the last is \
                \(last.id), and 'pollard history \(name)' lists them
                """)
    }

    /// The body of a snapshot, exactly as it was received.
    ///
    /// - Throws: `CommandFailure` if it is no longer kept, or damaged.
    func body(of snapshot: Snapshot) throws(CommandFailure) -> [UInt8] {
        let body = try reading { () throws(StoreError) in try reader.body(snapshot.digest) }
        guard let body else {
            throw CommandFailure(
                .noInput, "the body of snapshot \(snapshot.id) of '\(name)' is no longer kept",
                hint: "see what it changed with 'pollard history \(name)'")
        }
        return body
    }

    /// A snapshot with what its body says under the rules of today.
    ///
    /// - Throws: `CommandFailure` if the body is no longer kept, or damaged.
    func stored(_ snapshot: Snapshot) throws(CommandFailure) -> StoredContent {
        let body = try body(of: snapshot)
        return StoredContent(
            snapshot: snapshot, byteCount: body.count,
            content: endpoint.storedContent(of: body, contentType: snapshot.contentType))
    }

    /// What is said where a snapshot is needed and none is there.
    var noSnapshot: CommandFailure {
        CommandFailure(
            .noInput, "no snapshot of '\(name)' is stored yet",
            hint: "'pollard status' says how its last poll went")
    }

    private static func isDigestPrefix(_ word: String) -> Bool {
        let digits = minimumDigits...(2 * ContentDigest.byteCount)
        return digits.contains(word.utf8.count)
            && word.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isASCIIHexDigit }
    }

    private func change(_ number: Int64) throws(CommandFailure) -> StoredChange? {
        try reading { () throws(StoreError) in try reader.change(number, of: name) }
    }

    private func snapshots(digestPrefix prefix: String) throws(CommandFailure) -> [Snapshot] {
        try reading { () throws(StoreError) in
            try reader.snapshots(
                of: name, digestPrefix: prefix, limit: Self.maximumListed)
        }
    }
}

extension EndpointConfiguration {
    /// An endpoint that only the store knows: it has no rules.
    init(unconfigured name: EndpointName) {
        self.init(name: name, request: RequestConfiguration(url: ""))
    }
}

/// What `body` reads from a store, or the failure of the command.
func reading<Value>(
    _ body: () throws(StoreError) -> Value
) throws(CommandFailure) -> Value {
    do throws(StoreError) {
        return try body()
    } catch {
        throw CommandFailure(error)
    }
}
