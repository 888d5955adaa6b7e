// SPDX-License-Identifier: Apache-2.0

/// Requests made while offline: kept on disk in their order, and sent when the server is there.
///
/// ```swift
/// let queue = try DeferredRequests(directory: "/var/lib/example/outbox")
/// let outcome = try await queue.send(NotesAPI.create(note), using: client)
/// if case .deferred = outcome { print("it is sent later") }
///
/// // When the network is back:
/// let replay = try await queue.replay(using: client)
/// print("\(replay.delivered) sent, \(await queue.pending.count) left")
/// ```
///
/// ## What is promised
///
/// A request that was deferred is on the disk before the call returns, and stays there until the
/// server has answered it: neither the end of the process nor of the machine loses it. It may be
/// sent more than once (at least once): if the process ends between the answer and the removal, or
/// the answer is lost. So that a server can tell a repeat, each request that may change something
/// gets an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), unless it has one.
///
/// Requests are sent one after another, in the order in which they were deferred; one that can't be
/// sent yet holds up those after it. A request that is refused for good (4xx but 408, 425, 429), or
/// whose credentials are, goes to `failed`, where a user sees it and lets it be sent again or drops
/// it. `Documentation/Caching.md` has a table of all outcomes.
///
/// ## What is on the disk
///
/// A file for each request, readable by its owner only, with URL, fields and content of the request
/// or endpoint as they are. Fields and credentials of the client are not in it: they are added each
/// time that it is sent, as they are then, so that a key that was replaced is the new one. An
/// endpoint with credentials of its own is refused; those of an `HTTPRequest` (`Authorization`,
/// `Proxy-Authorization`, `Cookie` and its `credentialFields`) are left out, and the transport of
/// the replay has to add them. A directory belongs to one object at a time; a second one, of this
/// process or another, is refused.
public actor DeferredRequests {
    /// The limits of a queue.
    public struct Limits: Sendable, Hashable {
        /// The most requests kept, failed ones included; 1,000 by default.
        public var maximumCount = 1000
        /// The most bytes of all requests, failed ones included; 64 MiB by default.
        public var maximumBytes = 64 << 20
        /// How often a request may fail in a way that may pass, as with a server error, before it
        /// counts as failed, so that it doesn't hold up the others for ever; 10 by default.
        ///
        /// Attempts without a network don't count.
        public var maximumServerErrors = 10

        /// Makes the default limits.
        public init() {}
    }

    /// What became of a request.
    public enum Outcome: Sendable, Hashable {
        /// The server answered.
        case answered(HTTPResponse)
        /// It is kept, and sent later.
        case deferred(DeferredRequest)
    }

    private let executor = DiskExecutor(label: "pollard.http.deferred")
    private var files: DeferredFiles
    private let limits: Limits
    let now: @Sendable () -> Int64
    private var requests: [DeferredRequest] = []
    private var sizes: [UInt64: Int] = [:]
    /// The last number that was given, also to a request that was answered and never kept.
    private var lastID: UInt64
    var isReplaying = false
    private var observers = DeferredObservers()
    /// Files that hold no request that can be read; they are kept, renamed to `*.damaged`.
    public private(set) var damagedFiles: [String] = []

    /// Opens the queue in a directory, or makes one there.
    ///
    /// - Parameters:
    ///   - directory: Its path; the directory above it must be there. A relative path counts from
    ///     the working directory of now, whatever that is later.
    ///   - limits: How much it takes.
    ///   - now: Seconds since 1970; a test gives its own.
    /// - Throws: `NetworkError.Code.storage` if another queue has the directory, or it can't be
    ///   used.
    public init(
        directory: String, limits: Limits = Limits(),
        now: @escaping @Sendable () -> Int64 = RetryEnvironment().now
    ) throws(NetworkError) {
        var found = DeferredFiles.Contents()
        files = try DeferredFiles(directory, &found)
        self.limits = limits
        self.now = now
        requests = found.requests
        sizes = found.sizes
        damagedFiles = found.damaged
        lastID = found.lastID
    }

    deinit { observers.finish() }

    /// Runs on a queue of its own, which waits for the disk.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    // MARK: - What is kept

    /// Requests that wait to be sent, in their order.
    public var pending: [DeferredRequest] { requests.filter { !$0.isFailed } }

    /// Requests that are not sent again by themselves, in their order.
    public var failed: [DeferredRequest] { requests.filter(\.isFailed) }

    /// What happens from now on; each call gives a sequence of its own, which ends with the queue.
    ///
    /// Who doesn't keep up misses the oldest: 1,000 events are kept for each.
    public func events() -> AsyncStream<DeferredEvent> { observers.add() }

    /// Keeps a request for the next replay without trying to send it.
    ///
    /// - Parameter request: What to send; it needs no credentials, and loses those it has.
    /// - Returns: The request as it is kept: on the disk.
    /// - Throws: `NetworkError.Code.queueFull`, `storage`, or `invalidRequest` and `invalidURL` for
    ///   a request that can't be sent.
    @discardableResult
    public func append(_ request: HTTPRequest) throws(NetworkError) -> DeferredRequest {
        try keep(DeferredContent(request), at: takePlace())
    }

    /// Lets a failed request wait to be sent again, in its place.
    ///
    /// - Parameter id: Its number; nothing happens if there is none of it in `failed`.
    /// - Throws: `NetworkError.Code.storage`.
    public func retry(_ id: UInt64) throws(NetworkError) {
        guard var request = requests.first(where: { $0.id == id && $0.isFailed }) else { return }
        request.isFailed = false
        request.serverErrors = 0
        try save(request)
        observers.send(.deferred(request))
    }

    /// Removes a request for good.
    ///
    /// - Parameter id: Its number; nothing happens if there is none of it. One that is being sent
    ///   right now may reach the server all the same.
    /// - Throws: `NetworkError.Code.storage`; it stays if its file can't be removed, and is gone if
    ///   only the disk can't be brought up to date.
    public func drop(_ id: UInt64) throws(NetworkError) {
        guard let request = requests.first(where: { $0.id == id }) else { return }
        let failure = try removeFile(of: request)
        // What is off the disk must not be sent, or written again, whatever failed besides.
        forget(id)
        observers.send(.dropped(request))
        if let failure { throw failure }
    }

    // MARK: - Steps of a replay

    /// The request that is next to be sent; nil if none waits.
    func first() -> DeferredRequest? { requests.first { !$0.isFailed } }

    /// Whether a request has to go behind others.
    var isBusy: Bool { isReplaying || first() != nil }

    /// Takes what an attempt to send a request has shown.
    ///
    /// - Returns: What it means.
    func settle(
        _ request: DeferredRequest, _ outcome: Result<HTTPResponse, NetworkError>
    ) throws(NetworkError) -> DeferredVerdict {
        // It may have been dropped meanwhile.
        guard var current = requests.first(where: { $0.id == request.id }) else {
            return DeferredVerdict(outcome)
        }
        var verdict = DeferredVerdict(outcome)
        if case .postponed(let cause, true) = verdict,
            current.serverErrors + 1 >= limits.maximumServerErrors
        {
            verdict = .failed(cause: cause)
        }
        switch verdict {
        case .cancelled: break
        case .delivered:
            // First: it must not be sent again now, whatever becomes of its file.
            forget(current.id)
            if let response = try? outcome.get() { observers.send(.delivered(current, response)) }
            if let failure = try removeFile(of: current) { throw failure }
        case .postponed(let cause, let isCounted):
            current.note(cause)
            if isCounted { current.serverErrors += 1 }
            try save(current)
            observers.send(.postponed(current))
        case .failed(let cause):
            current.note(cause)
            current.isFailed = true
            try save(current)
            observers.send(.failed(current))
        }
        return verdict
    }

    /// Takes the next place in the order: that of the calls, however long each takes to fail.
    func takePlace() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Keeps a request in its place.
    ///
    /// - Parameters:
    ///   - content: The request.
    ///   - id: What `takePlace()` gave.
    ///   - error: Why it was sent in vain; nil if it was not sent.
    /// - Returns: The request as it is kept.
    /// - Throws: `NetworkError.Code.queueFull` or `storage`.
    func keep(
        _ content: DeferredContent, at id: UInt64, after error: NetworkError? = nil
    ) throws(NetworkError) -> DeferredRequest {
        var content = content
        content.request = content.request.withoutCredentials
        var deferred = DeferredRequest(id: id, content: content, deferredAt: now())
        if let error { deferred.note(error.description) }
        let sealed = deferred.sealed
        guard requests.count < limits.maximumCount else {
            throw full("\(limits.maximumCount) requests wait")
        }
        guard sizes.values.reduce(sealed.count, +) <= limits.maximumBytes else {
            throw full("its requests would take more than \(limits.maximumBytes) bytes")
        }
        try files.write(deferred, sealed)
        let place = requests.firstIndex { $0.id > id } ?? requests.endIndex
        requests.insert(deferred, at: place)
        sizes[id] = sealed.count
        observers.send(.deferred(deferred))
        return deferred
    }

    private func full(_ why: String) -> NetworkError {
        NetworkError(
            .queueFull,
            "the queue of deferred requests '\(files.path.escaped)' is full: \(why); "
                + "replay it, drop failed requests, or raise its limits")
    }

    private func save(_ request: DeferredRequest) throws(NetworkError) {
        let sealed = request.sealed
        try files.write(request, sealed)
        guard let place = requests.firstIndex(where: { $0.id == request.id }) else { return }
        requests[place] = request
        sizes[request.id] = sealed.count
    }

    private func removeFile(
        of request: DeferredRequest
    ) throws(NetworkError) -> NetworkError? {
        let others = requests.map(\.id).filter { $0 != request.id }
        return try files.remove(request, others: others, lastID: lastID)
    }

    private func forget(_ id: UInt64) {
        requests.removeAll { $0.id == id }
        sizes[id] = nil
    }
}

extension DeferredRequest {
    /// The longest cause that is kept, in characters: a line for a person.
    private static let maximumCause = 500

    /// Notes a failed attempt.
    fileprivate mutating func note(_ cause: String) {
        attempts += 1
        lastCause = String(cause.prefix(Self.maximumCause))
    }
}
