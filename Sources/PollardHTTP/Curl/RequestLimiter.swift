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
            for (origin, var line) in lines where line.waitingCount > 0 {
                giveTurn(to: origin, &line)
                lines[origin] = line
            }
        }
    }
    /// The number of requests that run.
    private(set) var runningCount = 0
    /// The number of requests that wait.
    private(set) var waitingCount = 0

    private var lines: [Origin: Line] = [:]
    /// Origins with a waiting request and room for it, in the order of their turns.
    private var turns = Queue<Origin>()
    /// Withdrawn requests whose place in a line is not yet passed.
    private var withdrawn: Set<ID> = []
    /// The spans of the pace that are not over, in the order in which they began and so end.
    private var spans = Queue<(origin: Origin, start: Int64)>()

    private struct Line {
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
        var line = lines[origin] ?? Line()
        defer { lines[origin] = line }
        if runningCount < limits.maximum, hasRoom(line), line.waitingCount == 0 {
            begin(to: origin, &line, now: time)
            return true
        }
        line.waiting.append(id)
        line.waitingCount += 1
        waitingCount += 1
        giveTurn(to: origin, &line)
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
        while runningCount < limits.maximum, let origin = turns.popFirst() {
            guard var line = lines[origin] else { continue }
            line.hasTurn = false
            var admitted: ID?
            while admitted == nil, hasRoom(line), let id = line.waiting.popFirst() {
                if withdrawn.remove(id) == nil { admitted = id }
            }
            if admitted != nil {
                begin(to: origin, &line, now: time)
                line.waitingCount -= 1
                waitingCount -= 1
            }
            giveTurn(to: origin, &line)
            keep(line, of: origin)
            if let admitted { return admitted }
        }
        return nil
    }

    /// Notes that a running request ended.
    mutating func release(_ origin: Origin) {
        guard var line = lines[origin] else { return }
        line.running -= 1
        runningCount -= 1
        giveTurn(to: origin, &line)
        keep(line, of: origin)
    }

    /// Takes a waiting request out of its line.
    mutating func withdraw(_ id: ID, from origin: Origin) {
        guard var line = lines[origin], line.waitingCount > 0 else { return }
        withdrawn.insert(id)
        line.waitingCount -= 1
        waitingCount -= 1
        if line.waitingCount == 0 {
            while let passed = line.waiting.popFirst() { withdrawn.remove(passed) }
        }
        keep(line, of: origin)
    }

    private func hasRoom(_ line: Line) -> Bool {
        guard line.running < limits.maximumPerOrigin else { return false }
        guard let pace = limits.pace else { return true }
        return line.begun < pace.size
    }

    private mutating func begin(to origin: Origin, _ line: inout Line, now: Int64) {
        line.running += 1
        runningCount += 1
        guard limits.pace != nil else { return }
        if line.begun == 0 { spans.append((origin, now)) }
        line.begun += 1
    }

    private mutating func endSpans(before now: Int64) {
        guard let pace = limits.pace else { return }
        while let span = spans.first, span.start + pace.span <= now {
            _ = spans.popFirst()
            endSpan(of: span.origin)
        }
    }

    private mutating func forgetSpans() {
        while let span = spans.popFirst() { endSpan(of: span.origin) }
    }

    private mutating func endSpan(of origin: Origin) {
        guard var line = lines[origin] else { return }
        line.begun = 0
        giveTurn(to: origin, &line)
        keep(line, of: origin)
    }

    private mutating func giveTurn(to origin: Origin, _ line: inout Line) {
        guard !line.hasTurn, line.waitingCount > 0, hasRoom(line) else { return }
        line.hasTurn = true
        turns.append(origin)
    }

    /// Forgets origins without requests, whose number is unbounded over time.
    private mutating func keep(_ line: Line, of origin: Origin) {
        let isIdle = line.running == 0 && line.waitingCount == 0 && line.begun == 0
        lines[origin] = isIdle ? nil : line
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
