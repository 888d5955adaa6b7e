// SPDX-License-Identifier: Apache-2.0

/// Requests of a cache that are under way: who waits for which, and whose answer came too late.
struct CacheFlights: Sendable {
    /// How a request under way ended, for those who waited for it.
    enum End: Sendable {
        /// With an answer, which is stored if it may be.
        case answered
        /// Without one.
        case failed(NetworkError)
        /// The task that sent it was cancelled, or the one that waits.
        case cancelled
        /// Not yet, but the one that waits has no time left.
        case timeIsUp
    }

    private struct Flight {
        var request: HTTPRequest?
        var url: String
        /// Whether the URL was changed since it began: the answer may be from before that.
        var isTainted = false
        var waiting: [Int: CheckedContinuation<End, Never>] = [:]
    }

    private var flights: [Int: Flight] = [:]
    private var byRequest: [HTTPRequest: Int] = [:]
    private var last = 0

    /// The request like this one that is under way.
    func flight(like request: HTTPRequest) -> Int? { byRequest[request] }

    /// Begins a request; others like it may wait for it, unless one is under way already.
    mutating func begin(_ request: HTTPRequest, url: String) -> Int {
        last += 1
        let isFirst = byRequest[request] == nil
        flights[last] = Flight(request: isFirst ? request : nil, url: url)
        if isFirst { byRequest[request] = last }
        return last
    }

    /// Whether the answer of a request may be stored.
    func mayStore(_ id: Int) -> Bool { flights[id].map { !$0.isTainted } ?? false }

    /// Ends a request, and wakes those who wait for it.
    mutating func end(_ id: Int, _ end: End) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        if let request = flight.request { byRequest[request] = nil }
        for continuation in flight.waiting.values { continuation.resume(returning: end) }
    }

    /// Adds someone who waits; at once over if the request has ended.
    mutating func wait(_ id: Int, as waiter: Int, _ continuation: CheckedContinuation<End, Never>) {
        guard flights[id] != nil else {
            continuation.resume(returning: .answered)
            return
        }
        flights[id]?.waiting[waiter] = continuation
    }

    /// A number for someone who waits.
    mutating func nextWaiter() -> Int {
        last += 1
        return last
    }

    /// Ends the wait of one who gives up.
    mutating func stopWaiting(_ waiter: Int, of id: Int, _ end: End) {
        flights[id]?.waiting.removeValue(forKey: waiter)?.resume(returning: end)
    }

    /// Keeps the answers for these URLs that are under way from being stored.
    mutating func taint(_ urls: Set<String>) {
        for (id, flight) in flights where urls.contains(flight.url) {
            flights[id]?.isTainted = true
        }
    }

    /// Keeps all answers that are under way from being stored.
    mutating func taintAll() {
        for id in flights.keys { flights[id]?.isTainted = true }
    }
}
