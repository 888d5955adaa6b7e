// SPDX-License-Identifier: Apache-2.0

/// Decides which request may run now and which waits: a value, without clock or sockets.
///
/// Each origin has a line of its own, first come, first served. Origins take turns, so that a
/// thousand requests to one of them don't delay the only one to another. libcurl could queue
/// too, but in linear time and with the wait counted in the request's timeout.
struct RequestLimiter<Origin: Hashable & Sendable>: Sendable {
    /// Names one request; unique among those that wait.
    typealias ID = UInt64

    /// What may be done at once.
    struct Limits: Sendable, Hashable {
        /// The most requests that run at once.
        var maximum: Int
        /// The most requests that run at once to one origin.
        var maximumPerOrigin: Int
        /// How fast requests to one origin may begin; nil for as fast as they come.
        var pace: RequestPace?
    }

    /// What may be done at once; may change at any time, for what begins from then on.
    var limits: Limits {
        didSet {
            if limits.pace == nil { forgetSpans() }
            for place in places.values { giveTurn(to: place) }
        }
    }
    /// The number of requests that run.
    private(set) var runningCount = 0
    /// The number of requests that wait.
    private(set) var waitingCount = 0

    /// The place of each origin's line.
    private var places: [Origin: Int] = [:]
    private var lines: [Line] = []
    private var freePlaces: [Int] = []
    /// Places of lines with a waiting request and room for it, in the order of their turns.
    private var turns = Queue<Int>()
    /// Withdrawn requests whose place in a line is not yet passed.
    private var withdrawn: Set<ID> = []
    /// The spans of the pace that are not over, in the order in which they began and so end.
    private var spans = Queue<(place: Int, start: Int64)>()

    private struct Line {
        var origin: Origin
        var running = 0
        /// The requests that began within the span that is not over.
        var begun = 0
        var waiting = Queue<ID>()
        var waitingCount = 0
        var hasTurn = false
    }

    /// Makes a limiter without any request.
    init(_ limits: Limits) { self.limits = limits }

    /// When to call `next` again though no request has ended; nil if that would be of no use.
    var nextChange: Int64? {
        guard waitingCount > 0, let pace = limits.pace, let span = spans.first else { return nil }
        return span.start + pace.span
    }

    /// Lets a request run if there is room and nobody waits before it; else puts it in line.
    ///
    /// - Parameters:
    ///   - id: The request.
    ///   - origin: Whom it is for.
    ///   - now: A time that never goes back, in nanoseconds; only asked for if there is a pace.
    /// - Returns: Whether it runs.
    mutating func admit(_ id: ID, to origin: Origin, now: @autoclosure () -> Int64) -> Bool {
        let time = limits.pace == nil ? 0 : now()
        endSpans(before: time)
        let place = place(of: origin)
        if runningCount < limits.maximum, hasRoom(place), lines[place].waitingCount == 0 {
            begin(place, now: time)
            return true
        }
        lines[place].waiting.append(id)
        lines[place].waitingCount += 1
        waitingCount += 1
        giveTurn(to: place)
        return false
    }

    /// The next request that may run now, which then counts as running.
    ///
    /// - Parameter now: A time that never goes back, in nanoseconds; only asked for if there is a
    ///   pace and somebody waits.
    /// - Returns: Nil if none may run.
    mutating func next(now: @autoclosure () -> Int64) -> ID? {
        let time = limits.pace == nil || waitingCount == 0 ? 0 : now()
        endSpans(before: time)
        while runningCount < limits.maximum, let place = turns.popFirst() {
            lines[place].hasTurn = false
            var admitted: ID?
            while admitted == nil, hasRoom(place), let id = lines[place].waiting.popFirst() {
                if withdrawn.remove(id) == nil { admitted = id }
            }
            if admitted != nil {
                begin(place, now: time)
                lines[place].waitingCount -= 1
                waitingCount -= 1
            }
            giveTurn(to: place)
            forgetIfIdle(place)
            if let admitted { return admitted }
        }
        return nil
    }

    /// Notes that a running request ended.
    mutating func release(_ origin: Origin) {
        guard let place = places[origin] else { return }
        lines[place].running -= 1
        runningCount -= 1
        giveTurn(to: place)
        forgetIfIdle(place)
    }

    /// Takes a waiting request out of its line.
    mutating func withdraw(_ id: ID, from origin: Origin) {
        guard let place = places[origin], lines[place].waitingCount > 0 else { return }
        withdrawn.insert(id)
        lines[place].waitingCount -= 1
        waitingCount -= 1
        if lines[place].waitingCount == 0 {
            while let passed = lines[place].waiting.popFirst() { withdrawn.remove(passed) }
        }
        forgetIfIdle(place)
    }

    private mutating func place(of origin: Origin) -> Int {
        if let place = places[origin] { return place }
        let line = Line(origin: origin)
        let place = freePlaces.popLast() ?? lines.count
        if place == lines.count { lines.append(line) } else { lines[place] = line }
        places[origin] = place
        return place
    }

    private func hasRoom(_ place: Int) -> Bool {
        guard lines[place].running < limits.maximumPerOrigin else { return false }
        guard let pace = limits.pace else { return true }
        return lines[place].begun < pace.size
    }

    private mutating func begin(_ place: Int, now: Int64) {
        lines[place].running += 1
        runningCount += 1
        guard limits.pace != nil else { return }
        if lines[place].begun == 0 { spans.append((place, now)) }
        lines[place].begun += 1
    }

    private mutating func endSpans(before now: Int64) {
        guard let pace = limits.pace else { return }
        while let span = spans.first, span.start + pace.span <= now {
            _ = spans.popFirst()
            endSpan(of: span.place)
        }
    }

    private mutating func forgetSpans() {
        while let span = spans.popFirst() { endSpan(of: span.place) }
    }

    private mutating func endSpan(of place: Int) {
        lines[place].begun = 0
        giveTurn(to: place)
        forgetIfIdle(place)
    }

    private mutating func giveTurn(to place: Int) {
        guard !lines[place].hasTurn, lines[place].waitingCount > 0, hasRoom(place) else { return }
        lines[place].hasTurn = true
        turns.append(place)
    }

    /// Forgets origins without requests, whose number is unbounded over time.
    private mutating func forgetIfIdle(_ place: Int) {
        guard lines[place].running == 0, lines[place].waitingCount == 0,
            lines[place].begun == 0, !lines[place].hasTurn
        else { return }
        places[lines[place].origin] = nil
        freePlaces.append(place)
    }
}

extension RequestLimiter.Limits {
    /// The part that the limiter keeps of a transport's limits.
    init(_ limits: CurlTransport.Limits) {
        self.init(
            maximum: max(1, limits.maximumConcurrentRequests),
            maximumPerOrigin: max(1, limits.maximumPerOrigin),
            pace: limits.maximumRatePerOrigin.map(RequestPace.init))
    }
}
