// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Synchronization
import Testing

/// A fetcher that gives prepared answers in order, and keeps what it was asked.
final class StubFetcher: Fetching {
    private let answers: Mutex<[Result<Answer, PollFailure>]>
    private let seen = Mutex<[Validators]>([])

    init(_ answers: [Result<Answer, PollFailure>]) { self.answers = Mutex(answers) }

    /// The validators of each request so far.
    var sentValidators: [Validators] { seen.withLock { $0 } }

    func fetch(
        _ endpoint: EndpointConfiguration, validators: Validators
    ) async throws(PollFailure) -> Answer {
        seen.withLock { $0.append(validators) }
        let next = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next else { throw PollFailure(kind: .connect, message: "no answer prepared") }
        return try next.get()
    }

    func forget(_ name: EndpointName) {}
}

/// A reporter that keeps what it is told.
final class RecordingReporter: Reporting {
    private let kept = Mutex<[EventEntry]>([])
    private let dropped = Mutex<[(name: EndpointName, entries: Int)]>([])

    var entries: [EventEntry] { kept.withLock { $0 } }
    var messages: [String] { entries.map(\.message) }

    func report(_ entry: EventEntry) { kept.withLock { $0.append(entry) } }

    /// Endpoints that were forgotten, and how many entries there were then.
    var forgotten: [(name: EndpointName, entries: Int)] { dropped.withLock { $0 } }

    func forget(_ name: EndpointName) {
        let count = entries.count
        dropped.withLock { $0.append((name, count)) }
    }
}

/// A pipeline over stubs, with a clock that advances a minute a poll.
struct PipelineFixture {
    let store = MemoryStore()
    let reporter = RecordingReporter()
    let changes: ChangeRecorder
    let fetcher: StubFetcher
    let endpoint: WatchedEndpoint
    let pipeline: PollPipeline

    init(
        _ answers: [Result<Answer, PollFailure>],
        configure: (inout EndpointConfiguration) throws -> Void = { _ in }
    ) throws {
        var configuration = EndpointConfiguration(
            name: try "orders".endpoint,
            request: RequestConfiguration(url: "https://api.example.com/orders"))
        try configure(&configuration)
        endpoint = WatchedEndpoint(configuration)
        fetcher = StubFetcher(answers)
        changes = ChangeRecorder(store: store, reporter: reporter)
        let minutes = Mutex<Int64>(0)
        let events = Mutex<Int>(0)
        pipeline = PollPipeline(
            fetcher: fetcher, changes: changes, reporter: reporter,
            now: {
                minutes.withLock { minute in
                    minute += 1
                    return Timestamp(microseconds: 1_800_000_000_000_000 + minute * 60_000_000)
                }
            },
            newEvent: {
                events.withLock { event in
                    event += 1
                    return "event-\(event)"
                }
            })
    }

    /// Polls as often as there are answers.
    func poll(times: Int, from state: EndpointState = EndpointState()) async -> PollResult {
        var result = PollResult(outcome: .unchanged, state: state)
        for _ in 0..<times { result = await pipeline.poll(endpoint, from: result.state) }
        return result
    }
}

extension Result<Answer, PollFailure> {
    /// A good answer with a JSON body.
    static func json(_ text: String, etag: String? = nil) -> Self {
        .success(
            Answer(
                status: 200, contentType: "application/json", body: Array(text.utf8),
                validators: Validators(entityTag: etag)))
    }

    static func status(_ status: Int, _ reason: String? = nil, etag: String? = nil) -> Self {
        var answer = Answer(status: status, validators: Validators(entityTag: etag))
        answer.reason = reason
        return .success(answer)
    }

    static let refused = Self.failure(
        PollFailure(kind: .connect, message: "connection refused by 192.0.2.1 port 443"))
}
