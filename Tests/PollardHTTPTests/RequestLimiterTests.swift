// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct RequestLimiterTests {
    /// A limiter that `#expect` can change, which a value can't be.
    private final class Limiter {
        private var value: RequestLimiter<String>
        var runningCount: Int { value.runningCount }
        var waitingCount: Int { value.waitingCount }

        /// The time, in nanoseconds.
        var now: Int64 = 1_000_000_000
        var nextChange: Int64? { value.nextChange }

        init(maximum: Int, maximumPerOrigin: Int, rate: RequestRate? = nil) {
            value = RequestLimiter(
                .init(
                    maximum: maximum, maximumPerOrigin: maximumPerOrigin,
                    pace: rate.map(RequestPace.init)))
        }

        func update(_ change: (inout RequestLimiter<String>.Limits) -> Void) {
            change(&value.limits)
        }
        func admit(_ id: UInt64, to origin: String) -> Bool {
            value.admit(id, to: origin, now: now)
        }
        func next() -> UInt64? { value.next(now: now) }
        func release(_ origin: String) { value.release(origin) }
        func withdraw(_ id: UInt64, from origin: String) { value.withdraw(id, from: origin) }
    }

    @Test func `Requests run up to the limits and then wait`() {
        let limiter = Limiter(maximum: 3, maximumPerOrigin: 2)
        #expect(limiter.admit(1, to: "a"))
        #expect(limiter.admit(2, to: "a"))
        #expect(!limiter.admit(3, to: "a"))
        #expect(limiter.admit(4, to: "b"))
        #expect(!limiter.admit(5, to: "c"))
        #expect(limiter.runningCount == 3)
        #expect(limiter.waitingCount == 2)
        #expect(limiter.next() == nil)
    }

    @Test func `One origin is served in order`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1)
        #expect(limiter.admit(0, to: "a"))
        for id in 1...50 { #expect(!limiter.admit(UInt64(id), to: "a")) }
        for id in 1...50 {
            #expect(limiter.next() == nil)
            limiter.release("a")
            #expect(limiter.next() == UInt64(id))
        }
        limiter.release("a")
        #expect(limiter.next() == nil)
        #expect(limiter.runningCount == 0)
    }

    @Test func `Origins take turns, however long the line of one is`() {
        let limiter = Limiter(maximum: 1, maximumPerOrigin: 1)
        #expect(limiter.admit(0, to: "x"))
        for id in 1...100 { _ = limiter.admit(UInt64(id), to: "a") }
        _ = limiter.admit(201, to: "b")
        _ = limiter.admit(301, to: "c")
        limiter.release("x")
        var order: [UInt64] = []
        for origin in ["a", "b", "c", "a"] {
            order += [limiter.next()].compactMap(\.self)
            limiter.release(origin)
        }
        #expect(order == [1, 201, 301, 2])
    }

    @Test func `An origin at its limit doesn't hold up another`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1)
        _ = limiter.admit(1, to: "a")
        _ = limiter.admit(2, to: "a")
        #expect(limiter.admit(3, to: "b"))
        limiter.release("a")
        #expect(limiter.next() == 2)
    }

    @Test func `A newcomer doesn't overtake those who wait`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1)
        _ = limiter.admit(1, to: "a")
        _ = limiter.admit(2, to: "a")
        limiter.release("a")
        #expect(!limiter.admit(3, to: "a"))
        #expect(limiter.next() == 2)
        limiter.release("a")
        #expect(limiter.next() == 3)
    }

    @Test func `A withdrawn request gets no turn`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1)
        _ = limiter.admit(1, to: "a")
        for id in 2...5 { _ = limiter.admit(UInt64(id), to: "a") }
        limiter.withdraw(2, from: "a")
        limiter.withdraw(4, from: "a")
        #expect(limiter.waitingCount == 2)
        limiter.release("a")
        #expect(limiter.next() == 3)
        limiter.release("a")
        #expect(limiter.next() == 5)
        limiter.release("a")
        #expect(limiter.next() == nil)
        #expect(limiter.admit(6, to: "a"))
    }

    @Test func `Requests to one origin are spaced evenly, also after a pause`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 10, rate: .init(10, per: .seconds(1)))
        limiter.now += 3_600_000_000_000
        #expect(limiter.admit(1, to: "a"))
        #expect(!limiter.admit(2, to: "a"))
        #expect(!limiter.admit(3, to: "a"))
        #expect(limiter.nextChange == limiter.now + 100_000_000)
        limiter.release("a")
        #expect(limiter.next() == nil)
        limiter.now += 99_999_999
        #expect(limiter.next() == nil)
        limiter.now += 1
        #expect(limiter.next() == 2)
        #expect(limiter.next() == nil)
        limiter.now += 100_000_000
        #expect(limiter.next() == 3)
        #expect(limiter.nextChange == nil)
    }

    @Test func `An origin at its rate doesn't hold up another`() {
        let limiter = Limiter(maximum: 3, maximumPerOrigin: 3, rate: .init(1, per: .seconds(60)))
        #expect(limiter.admit(1, to: "a"))
        for id in 2...100 { #expect(!limiter.admit(UInt64(id), to: "a")) }
        #expect(limiter.admit(101, to: "b"))
        #expect(limiter.admit(102, to: "c"))
        #expect(limiter.runningCount == 3)
    }

    @Test func `A request that waits for its rate and is withdrawn takes nobody's turn`() {
        let limiter = Limiter(maximum: 3, maximumPerOrigin: 3, rate: .init(1, per: .seconds(1)))
        _ = limiter.admit(1, to: "a")
        _ = limiter.admit(2, to: "a")
        _ = limiter.admit(3, to: "a")
        limiter.withdraw(2, from: "a")
        limiter.now += 1_000_000_000
        #expect(limiter.next() == 3)
        _ = limiter.admit(4, to: "a")
        limiter.withdraw(4, from: "a")
        #expect(limiter.nextChange == nil)
    }

    @Test func `A request beyond both the rate and the number waits for the later of the two`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1, rate: .init(1, per: .seconds(1)))
        _ = limiter.admit(1, to: "a")
        _ = limiter.admit(2, to: "a")
        limiter.now += 1_000_000_000
        #expect(limiter.next() == nil)
        limiter.release("a")
        #expect(limiter.next() == 2)
        limiter.release("a")
        #expect(!limiter.admit(3, to: "a"))
        limiter.now += 1_000_000_000
        #expect(limiter.next() == 3)
    }

    @Test func `New limits hold for those that wait already`() {
        let limiter = Limiter(maximum: 10, maximumPerOrigin: 1, rate: .init(1, per: .seconds(60)))
        for id in 1...6 { _ = limiter.admit(UInt64(id), to: "a") }
        limiter.update { $0.maximumPerOrigin = 4 }
        #expect(limiter.next() == nil)
        // Counted from when the last one began, not from now.
        limiter.now += 900_000_000
        limiter.update { $0.pace = RequestPace(RequestRate(1, per: .seconds(1))) }
        #expect(limiter.next() == nil)
        limiter.now += 100_000_000
        #expect(limiter.next() == 2)
        limiter.update { $0.pace = nil }
        #expect([limiter.next(), limiter.next(), limiter.next()] == [3, 4, nil])
        limiter.update { $0.maximumPerOrigin = 2 }
        limiter.release("a")
        limiter.release("a")
        #expect(limiter.next() == nil)
        limiter.release("a")
        #expect(limiter.next() == 5)
    }

    @Test(arguments: [(3, 1), (10, 1), (1000, 1), (9999, 1), (7, 60), (1_000_000_000, 1)])
    func `No rate is passed within its period, and none is missed by much`(
        count: Int, seconds: Int
    ) {
        let pace = RequestPace(RequestRate(count, per: .seconds(seconds)))
        let period = Int64(seconds) * 1_000_000_000
        let begun = period / pace.span * Int64(pace.size)
        #expect(begun <= count)
        #expect(begun >= min(count, 1_000_000) * 9 / 10)
        #expect(pace.size == 1 || pace.span >= 9_000_000)
    }

    @Test func `Any order of events keeps the limits and loses no request`() {
        var generator = SplitMix(state: 7)
        let limiter = Limiter(maximum: 5, maximumPerOrigin: 2)
        var running: [(id: UInt64, origin: String)] = []
        var waiting: [UInt64: String] = [:]
        var ended = 0
        for id in UInt64(1)...5000 {
            let origin = ["a", "b", "c", "d"].randomElement(using: &generator) ?? "a"
            if limiter.admit(id, to: origin) {
                running.append((id, origin))
            } else {
                waiting[id] = origin
            }
            if Bool.random(using: &generator),
                let (id, origin) = waiting.min(by: { $0.key < $1.key })
            {
                limiter.withdraw(id, from: origin)
                waiting[id] = nil
                ended += 1
            }
            while running.count > Int.random(in: 0...5, using: &generator) {
                let last = running.remove(at: running.indices.randomElement(using: &generator) ?? 0)
                limiter.release(last.origin)
                ended += 1
            }
            while let next = limiter.next() {
                running.append((next, waiting.removeValue(forKey: next) ?? "lost"))
            }
            #expect(limiter.runningCount == running.count)
            #expect(limiter.waitingCount == waiting.count)
            #expect(running.count <= 5)
            for origin in ["a", "b", "c", "d", "lost"] {
                let count = running.count { $0.origin == origin }
                #expect(count <= (origin == "lost" ? 0 : 2))
            }
        }
        while let last = running.popLast() {
            limiter.release(last.origin)
            ended += 1
            while let next = limiter.next() {
                running.append((next, waiting.removeValue(forKey: next) ?? "lost"))
            }
        }
        #expect(waiting.isEmpty)
        #expect(ended == 5000)
    }
}

/// A small generator, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
