// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardStore
import PollardTestSupport
import Testing

/// A configuration and a store in a directory of their own, and the program that reads them.
struct StoredHistory {
    let directory: TemporaryDirectory

    /// Writes a configuration with the endpoint `orders` and whatever `endpoints` adds.
    ///
    /// - Parameters:
    ///   - endpoints: Items of the list in YAML, indented by two spaces.
    ///   - hasOrders: Whether `orders` is there: its secret is there for no command.
    /// - Throws: What the file system says.
    init(endpoints: String = "", hasOrders: Bool = true) throws {
        directory = try TemporaryDirectory()
        let orders = """
              - name: orders
                url: https://api.example.com/orders
                auth: {bearer: {credential: token-that-nobody-reads}}
                ignore: [/time]
                identity: {/items: id}

            """
        try directory.write(
            "endpoints:\n\(hasOrders ? orders : "")\(endpoints)", to: "pollard.yaml")
    }

    /// The year 2100: the age of what happened then is always the same.
    static let future = Timestamp(microseconds: 4_102_444_800_000_000)

    /// Opens the store, or makes it.
    ///
    /// - Throws: `StoreError`.
    func open() throws -> SQLiteStore { try SQLiteStore(path: directory.path(of: "pollard.db")) }

    /// Stores bodies of one endpoint, a minute apart, as a daemon would, and closes the store.
    ///
    /// - Returns: The changes, oldest first.
    /// - Throws: What the store says.
    @discardableResult
    func store(
        _ bodies: [String], of name: String, contentType: String? = "application/json"
    ) async throws -> [StoredChange] {
        try await store(bodies.map { Array($0.utf8) }, of: name, contentType: contentType)
    }

    /// As above, for any bytes.
    @discardableResult
    func store(
        _ bodies: [[UInt8]], of name: String, contentType: String?,
        from start: Timestamp = Self.future
    ) async throws -> [StoredChange] {
        let store = try open()
        let name = try #require(EndpointName(rawValue: name))
        var changes: [StoredChange] = []
        for (index, body) in bodies.enumerated() {
            let change = try Self.change(
                to: body, after: changes.last, bodyBefore: index > 0 ? bodies[index - 1] : nil,
                name: name, contentType: contentType, start: start, minute: index)
            changes.append(try await store.commit(change, for: name))
        }
        try await store.close()
        return changes
    }

    /// Runs `pollard` on the configuration and the store, in UTC.
    ///
    /// - Throws: What keeps it from starting.
    func run(_ arguments: String...) async throws -> ProgramRun { try await run(arguments) }

    /// As above, with the words as a list.
    func run(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun(
            ProjectFiles.executable("pollard"), arguments + options, environment: ["TZ": "UTC"])
    }

    /// As `run`, on a terminal: script(1) makes one, which writes carriage returns.
    ///
    /// - Throws: What keeps it from starting.
    func runOnTerminal(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> String
    {
        let command = [try ProjectFiles.executable("pollard")] + arguments + options
        let run = try await ProgramRun(
            "/usr/bin/script", ["-qec", command.joined(separator: " "), "/dev/null"],
            environment: ["TZ": "UTC", "SHELL": "/bin/sh", "TERM": "xterm"].merging(environment) {
                $1
            })
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        return run.output.replacing("\r\n", with: "\n")
    }

    private var options: [String] {
        ["--config", directory.path(of: "pollard.yaml"), "--state", directory.path]
    }

    private static func change(
        to body: [UInt8], after previous: StoredChange?, bodyBefore: [UInt8]?,
        name: EndpointName, contentType: String?, start: Timestamp, minute: Int
    ) throws -> NewChange {
        let at = start.advanced(by: .seconds(60 * minute))
        var state = EndpointState()
        state.lastPoll = EndpointState.LastPoll(
            at: at, duration: .microseconds(12_345), status: 200, failure: nil)
        state.lastChange = at
        func content(_ body: [UInt8]) throws -> SnapshotContent {
            try SnapshotContent(decoding: body, contentType: contentType, format: .auto)
        }
        let summary = try bodyBefore.flatMap { before in
            try content(body).difference(from: content(before), rules: ComparisonRules())
        }
        return NewChange(
            kind: previous == nil ? .first : .changed, event: "\(name)-\(minute)",
            digest: ContentDigest(of: body), body: body, contentType: contentType, takenAt: at,
            previous: previous?.snapshot, summary: summary ?? ChangeSummary(), state: state)
    }
}
