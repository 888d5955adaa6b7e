// SPDX-License-Identifier: Apache-2.0

/// Decides which request may run now and which waits: a value, without clock or sockets.
///
/// Each origin has a line of its own, first come, first served. Origins take turns, so that a
/// thousand requests to one of them don't delay the only one to another. libcurl could queue
/// too, but in linear time and with the wait counted in the request's timeout.
struct RequestLimiter<Origin: Hashable & Sendable>: Sendable {
    /// Names one request; unique among those that wait.
    typealias ID = UInt64

    /// The most requests that run at once.
    let maximum: Int
    /// The most requests that run at once to one origin.
    let maximumPerOrigin: Int
    /// The number of requests that run.
    private(set) var runningCount = 0
    /// The number of requests that wait.
    private(set) var waitingCount = 0

    private var lines: [Origin: Line] = [:]
    /// Origins with a waiting request and room for it, in the order of their turns.
    private var turns = Queue<Origin>()
    /// Withdrawn requests whose place in a line is not yet passed.
    private var withdrawn: Set<ID> = []

    private struct Line {
        var running = 0
        var waiting = Queue<ID>()
        var waitingCount = 0
        var hasTurn = false
    }

    /// Makes a limiter without any request.
    init(maximum: Int, maximumPerOrigin: Int) {
        self.maximum = maximum
        self.maximumPerOrigin = maximumPerOrigin
    }

    /// Lets a request run if there is room and nobody waits before it; else puts it in line.
    ///
    /// - Returns: Whether it runs.
    mutating func admit(_ id: ID, to origin: Origin) -> Bool {
        var line = lines[origin] ?? Line()
        defer { lines[origin] = line }
        if runningCount < maximum, line.running < maximumPerOrigin, line.waitingCount == 0 {
            line.running += 1
            runningCount += 1
            return true
        }
        line.waiting.append(id)
        line.waitingCount += 1
        waitingCount += 1
        giveTurn(to: origin, &line)
        return false
    }

    /// The next request that may run now, which then counts as running.
    mutating func next() -> ID? {
        while runningCount < maximum, let origin = turns.popFirst() {
            guard var line = lines[origin] else { continue }
            line.hasTurn = false
            var admitted: ID?
            while admitted == nil, line.running < maximumPerOrigin, let id = line.waiting.popFirst()
            {
                if withdrawn.remove(id) == nil { admitted = id }
            }
            if admitted != nil {
                line.running += 1
                runningCount += 1
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

    private mutating func giveTurn(to origin: Origin, _ line: inout Line) {
        guard !line.hasTurn, line.waitingCount > 0, line.running < maximumPerOrigin else { return }
        line.hasTurn = true
        turns.append(origin)
    }

    /// Forgets origins without requests, whose number is unbounded over time.
    private mutating func keep(_ line: Line, of origin: Origin) {
        lines[origin] = line.running == 0 && line.waitingCount == 0 ? nil : line
    }
}

/// A first-in, first-out queue with constant amortised cost.
private struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
