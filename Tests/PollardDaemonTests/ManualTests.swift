// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@testable import PollardDaemon
@testable import PollardSystemd

/// pollard(1) against the program.
@Suite struct ManualTests {
    private let page: ManualPage

    init() throws { page = try ManualPage("pollard.1") }

    @Test(arguments: ["pollard.1", "pollard.yaml.5"])
    func `Mandoc has nothing to say`(name: String) async throws {
        let page = try ManualPage(name)
        let run = try await ProgramRun(
            ManualPage.mandoc, ["-T", "lint", "-W", "warning", page.path])
        #expect(run == ProgramRun(status: 0, output: "", errors: ""))
    }

    @Test(arguments: ["pollard.1", "pollard.yaml.5"])
    func `Pages have the version of the program`(name: String) throws {
        #expect(try ManualPage(name).lines.contains(".Os \"Pollard \(version)\""))
    }

    // MARK: - Command line

    @Test func `The synopsis is that of the help`() async throws {
        let lines = try await page.rendered().split(separator: "\n")
        let synopsis = lines.drop { $0 != "SYNOPSIS" }.dropFirst().prefix { $0.hasPrefix(" ") }
            .map { String($0.drop { $0 == " " }) }
        #expect(
            synopsis == CommandSpecification.all.map(\.synopsis) + ["pollard --help | --version"])
    }

    @Test func `Each command has a section, and there is no other`() {
        #expect(page.subsections(of: "COMMANDS") == CommandSpecification.all.map(\.name))
    }

    @Test(arguments: CommandSpecification.all.map(\.name))
    func `Each option of a command is explained, and no other`(command: String) throws {
        let specification = try #require(
            CommandSpecification.all.first { $0.name == command })
        let heads = page.section(command).filter { $0.hasPrefix(".It Fl ") }
        #expect(
            heads.map(ManualPage.shown)
                == specification.options.map { "--" + $0.name + ($0.value.map { " " + $0 } ?? "") })
    }

    @Test func `The keys of the JSON form of status are those that it has`() throws {
        let json = try JSONValue(parsing: Self.fullStatus().line())
        #expect(page.jsonKeys(of: "status") == json.members.map(\.key).sorted())
    }

    @Test func `The keys of the other JSON forms are those that they can have`()
        throws
    {
        func keys(_ files: String...) throws -> [String] {
            let keys = try files.flatMap { file in
                try ProjectFiles.text(of: "Sources/PollardDaemon/Commands/\(file).swift")
                    .matches(of: /add\("([a-z_]+)"/).map { String($0.output.1) }
            }
            return Set(keys).sorted()
        }
        // What differs is written by the same lines in both.
        let summary = [
            "added", "further_lines", "lines", "moved", "patch", "remarks", "removed", "updated",
        ]
        let history = try keys("HistoryCommand")
        #expect(Set(history).isSuperset(of: summary))
        #expect(page.jsonKeys(of: "history") == history)
        #expect(page.jsonKeys(of: "poll") == Set(try keys("PollReport+JSON") + summary).sorted())
        #expect(page.jsonKeys(of: "check") == (try keys("CheckCommand")))
        #expect(page.jsonKeys(of: "show") == (try keys("ShowCommand")))
        #expect(
            page.jsonKeys(of: "diff") == Set(try keys("SnapshotDifference") + summary).sorted())
    }

    @Test func `Each exit status is listed, and there is no other`() {
        let statuses = (0...255).compactMap { ExitStatus(rawValue: $0)?.rawValue }
        #expect(page.items(in: "EXIT STATUS").map(\.head) == statuses.map(String.init))
    }

    @Test func `Each signal is explained`() {
        let names = page.items(in: "SIGNALS").flatMap { $0.head.split(separator: ", ") }
        #expect(Set(names.map(String.init)) == Set(SignalSequence.Signal.allCases.map(\.name)))
    }

    @Test func `Files are where the program looks for them`() {
        let files = Set(page.items(in: "FILES").map(\.head))
        #expect(files.contains(DaemonPaths.defaultConfiguration))
        #expect(files.contains("\(DaemonPaths.defaultState)/\(DaemonPaths.storeName)"))
        #expect(files.contains("/run/pollard/\(EventFiles.directoryName)/NAME.json"))
    }

    // MARK: - Events

    @Test func `Each kind of event has the level that it is reported with`() throws {
        let levels = page.rows(in: "EVENTS").filter { $0.count == 3 }.map { ($0[0], $0[1]) }
        let entries = try ReportedEntries()
        #expect(Set(entries.all.map(\.id)) == Set(MessageID.allCases))
        #expect(
            Dictionary(levels) { first, _ in first }
                == Dictionary(entries.all.map { ($0.id.kind, $0.priority.name) }) { first, _ in
                    first
                })
    }

    @Test func `Each kind of event has its message id`() {
        let ids = page.rows(in: "EVENTS").filter { $0.count == 2 }
        #expect(Set(ids) == Set(MessageID.allCases.map { [$0.kind, $0.rawValue] }))
        #expect(ids.count == MessageID.allCases.count)
    }

    @Test func `Each field that an entry can have is explained, and no other`() throws {
        let documented = page.items(in: "FIELDS").filter { $0.path.count == 1 }.map(\.head)
        #expect(Set(documented) == (try ReportedEntries().fieldNames))
        #expect(documented.count == Set(documented).count)
    }

    @Test func `The entries of these tests have every field that there is`() throws {
        let names = try ReportedEntries().fieldNames
        let files = [
            "EventEntry+Endpoints", "EventEntry+Kinds", "EventEntry.Field+Groups",
            "ChangeSummary+Text",
        ]
        let source = try files.map {
            try ProjectFiles.text(of: "Sources/PollardCore/Report/\($0).swift")
        }
        let literals = source.joined().matches(of: /"(POLLARD_[A-Z_]*[A-Z])"/).map {
            String($0.output.1)
        }
        #expect(literals.count > 20)
        #expect(Set(literals).subtracting(names) == [])
    }

    @Test func `Each class of failure is explained`() {
        let classes = page.items(in: "FIELDS").filter { $0.path.first == "POLLARD_FAILURE" }
            .dropFirst().map(\.head)
        #expect(classes == PollFailure.Kind.allCases.map(\.rawValue))
    }

    @Test func `Each phase of a failure is explained`() {
        let phases = page.items(in: "FIELDS").filter { $0.path.first == "POLLARD_PHASE" }
            .dropFirst().map(\.head)
        #expect(phases == PollFailure.Phase.allCases.map(\.rawValue))
    }

    /// A status in which nothing is unknown.
    private static func fullStatus() throws -> EndpointStatusJSON {
        let name = try #require(EndpointName(rawValue: "orders"))
        let configuration = EndpointConfiguration(
            name: name, request: RequestConfiguration(url: "https://api.example.com/orders"))
        var status = EndpointStatusJSON(
            EndpointStatus(
                configuration, state: nil, statistics: nil, now: Timestamp(microseconds: 0)))
        status.lastPoll = "2026-11-30T07:31:02.125Z"
        status.lastStatus = 200
        status.lastError = "status 404 Not Found"
        status.lastDurationUsec = 1
        status.lastChange = "2026-11-30T07:31:02.125Z"
        status.snapshot = String(repeating: "0", count: 64)
        status.failedSince = "2026-11-30T07:31:02.125Z"
        status.p50Usec = 1
        status.p95Usec = 1
        return status
    }
}

/// An entry of each kind, with all fields that it can have.
private struct ReportedEntries {
    private(set) var all: [EventEntry] = []

    init() throws {
        let name = try #require(EndpointName(rawValue: "orders"))
        var configuration = EndpointConfiguration(
            name: name, request: RequestConfiguration(url: "https://api.example.com/orders"))
        configuration.labels = [.init(name: "name", value: "shop")]
        let endpoint = WatchedEndpoint(configuration)
        let poll = EndpointState.LastPoll(
            at: Timestamp(microseconds: 0), duration: .seconds(1), status: 200, failure: nil,
            attempts: 1)
        let process = EventEntry.Process(version: "0.1.0", endpoints: 1)
        let failure = PollFailure(kind: .status, message: "status 404 Not Found", status: 404)
        all = [
            .change(try Self.change(.first, of: name, poll), of: endpoint),
            .change(try Self.change(.changed, of: name, poll), of: endpoint),
            .failing(endpoint, failure, failures: 1, event: "0"),
            .stillFailing(endpoint, failure, outage: .seconds(60), failures: 2, event: "0"),
            .recovered(
                endpoint, Answer(status: 200), outage: .seconds(60), failures: 1, event: "0"),
            .overrunning(endpoint, skipped: 1),
            .certificateExpiring(
                endpoint, expiry: Timestamp(microseconds: 0), left: .seconds(60), event: "0"),
            .late(LatenessWatch.Report(polls: 1, worst: .seconds(6))),
            .networkTrouble(
                NetworkState.Trouble(silent: 3, hosts: 5), kind: .dns,
                cause: "the name 'a' has no address"),
            .networkRecovered(after: .seconds(60)),
            .networkUnclear(NetworkState.Trouble(silent: 2, hosts: 2, lasted: .seconds(60))),
            try #require(.polled(endpoint, Self.result(poll), late: .zero)),
            .started(process, store: "/var/lib/pollard/pollard.db"),
            .stopping(signal: "SIGTERM", inFlight: 0),
            .reloaded(ReloadDifference(), endpoints: 1),
            .configurationRejected("pollard.yaml:1:1: error: unknown key 'a'"),
            .configurationWarning("pollard.yaml: warning: there are no endpoints"),
            .storeTrouble("the disk is full", .change),
            .storeUnusable("the disk is full"),
            .storeRecovered(storedLate: 0),
            .storeBacklogFull(PendingChanges(), name),
            .changesLost(PendingChanges()),
            .notifyTrouble("cannot reach the service manager"),
            .eventFileTrouble("cannot write '/run/pollard/events/orders.json': no space left"),
        ]
    }

    /// The names of all fields as the journal gets them, with one that it would not take.
    var fieldNames: Set<String> {
        Set(
            all.flatMap { entry in
                var entry = entry
                entry.fields.append(EventEntry.Field("bad name", ""))
                return JournalRecord(entry).fields.map(\.name)
            })
    }

    private static func result(_ poll: EndpointState.LastPoll) -> PollResult {
        var state = EndpointState()
        state.lastPoll = poll
        return PollResult(outcome: .unchanged, state: state, attempts: 1)
    }

    private static func change(
        _ kind: NewChange.Kind, of name: EndpointName, _ poll: EndpointState.LastPoll
    ) throws -> StoredChange {
        var summary = ChangeSummary()
        summary.updated = 1
        summary.patch = "[]"
        summary.isPatchTruncated = true
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 0, count: 32)))
        let snapshot = Snapshot(
            id: 2, digest: digest, contentType: "application/json",
            takenAt: Timestamp(microseconds: 0))
        return StoredChange(
            id: 2, name: name, kind: kind, event: "0", snapshot: snapshot,
            previousDigest: kind == .first ? nil : digest, summary: summary, poll: poll)
    }
}
