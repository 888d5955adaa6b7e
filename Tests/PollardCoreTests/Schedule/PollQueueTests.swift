// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct PollQueueTests {
    private let origin = (
        wall: Timestamp(microseconds: 1_800_000_000_000_000),
        monotonic: MonotonicTime(nanoseconds: 5_000_000_000)
    )

    /// A queue over endpoints that are all due at each whole interval of the wall clock.
    private func queue(_ endpoints: [(String, Duration)]) throws -> PollQueue {
        var queue = PollQueue()
        for (name, interval) in endpoints {
            let name = try name.endpoint
            queue.insert(
                name, PollSchedule(name: name, interval: interval, jitter: 0), now: origin)
        }
        return queue
    }

    private func after(_ duration: Duration) -> MonotonicTime {
        origin.monotonic.advanced(by: duration)
    }

    @Test func `Nothing is due before its time`() throws {
        var queue = try queue([("a", .seconds(10))])
        #expect(queue.nextDue == after(.seconds(10)))
        #expect(queue.advance(to: after(.milliseconds(9999))) == [])
    }

    @Test func `Endpoints are polled in the order in which they are due`() throws {
        var queue = try queue([("slow", .seconds(3)), ("fast", .seconds(2))])
        #expect(
            try queue.advance(to: after(.seconds(3))) == [
                .poll("fast".endpoint, late: 1_000_000_000), .poll("slow".endpoint, late: 0),
            ])
        #expect(queue.nextDue == after(.seconds(4)))
    }

    @Test func `A tick during a poll is skipped and counted, not queued`() throws {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        #expect(queue.advance(to: after(.seconds(1))) == [.poll(name, late: 0)])
        #expect(queue.advance(to: after(.seconds(2))) == [.overrun(name, skipped: 1)])
        #expect(queue.advance(to: after(.seconds(3))) == [.overrun(name, skipped: 2)])
        queue.finish(name)
        #expect(queue.advance(to: after(.seconds(4))) == [.poll(name, late: 0)])
        #expect(queue.inFlight == 1)
    }

    @Test func `Slow polls, one after the other, are one overrun that goes on`() throws {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        var skipped: [Int] = []
        // Each poll takes a second and a half, but the last, which fits.
        for second in stride(from: 1, through: 7, by: 2) {
            #expect(queue.advance(to: after(.seconds(second))) == [.poll(name, late: 0)])
            if second == 7 { queue.finish(name) }
            let next = queue.advance(to: after(.seconds(second + 1)))
            if case .overrun(_, let count) = next.first { skipped.append(count) }
            queue.finish(name)
        }
        #expect(skipped == [1, 2, 3])
        #expect(queue.advance(to: after(.seconds(9))) == [.poll(name, late: 0)])
        #expect(queue.advance(to: after(.seconds(10))) == [.overrun(name, skipped: 1)])
    }

    @Test func `Ticks that passed unseen are one tick, and the phase is kept`() throws {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        #expect(
            queue.advance(to: after(.milliseconds(60_500)))
                == [.poll(name, late: 59_500_000_000)])
        #expect(queue.nextDue == after(.seconds(61)))
    }

    @Test func `A removed endpoint is polled no more, and its poll in flight may still finish`()
        throws
    {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        _ = queue.advance(to: after(.seconds(1)))
        queue.remove(name)
        #expect(queue.inFlight == 1)
        queue.finish(name)
        #expect(queue.inFlight == 0)
        #expect(queue.advance(to: after(.seconds(5))) == [])
        #expect(queue.nextDue == nil)
    }

    @Test func `An endpoint that is removed and added again waits for its poll in flight`() throws {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        _ = queue.advance(to: after(.seconds(1)))
        queue.remove(name)
        let schedule = PollSchedule(name: name, interval: .seconds(2), jitter: 0)
        queue.insert(name, schedule, now: origin)
        #expect(queue.advance(to: after(.seconds(2))) == [.overrun(name, skipped: 1)])
        queue.finish(name)
        #expect(queue.advance(to: after(.seconds(4))) == [.poll(name, late: 0)])
        #expect(queue.inFlight == 1)
    }

    @Test func `A new schedule takes the place of the old one`() throws {
        var queue = try queue([("a", .seconds(1))])
        let name = try "a".endpoint
        let schedule = PollSchedule(name: name, interval: .seconds(10), jitter: 0)
        queue.insert(name, schedule, now: origin)
        #expect(queue.advance(to: after(.seconds(9))) == [])
        #expect(queue.advance(to: after(.seconds(10))) == [.poll(name, late: 0)])
        #expect(queue.count == 1)
    }

    @Test func `Ten thousand endpoints are each polled once an interval`() throws {
        var queue = PollQueue()
        for number in 0..<10_000 {
            let name = try "endpoint-\(number)".endpoint
            let schedule = PollSchedule(name: name, interval: .seconds(60), jitter: 1)
            queue.insert(name, schedule, now: origin)
        }
        var polled: [EndpointName: Int] = [:]
        for second in 1...60 {
            for case .poll(let name, _) in queue.advance(to: after(.seconds(second))) {
                polled[name, default: 0] += 1
                queue.finish(name)
            }
        }
        #expect(polled.count == 10_000 && polled.values.allSatisfy { $0 == 1 })
    }

    @Test func `An overdue endpoint is polled soon, and then in its phase`() throws {
        let name = try "daily".endpoint
        let schedule = PollSchedule(name: name, interval: .seconds(86_400), jitter: 1)
        var queue = PollQueue()
        queue.insert(name, schedule, isOverdue: true, now: origin)
        let regular = origin.monotonic.advanced(
            by: schedule.next(after: origin.wall).since(origin.wall))
        let soon = try #require(queue.nextDue)
        #expect(soon < after(.seconds(60)) && soon < regular)
        #expect(queue.advance(to: soon) == [.poll(name, late: 0)])
        queue.finish(name)
        #expect(queue.nextDue == regular)
    }

    @Test func `Overdue endpoints with short intervals keep their phase alone`() throws {
        let name = try "often".endpoint
        let schedule = PollSchedule(name: name, interval: .seconds(10), jitter: 0)
        var queue = PollQueue()
        queue.insert(name, schedule, isOverdue: true, now: origin)
        #expect(queue.advance(to: after(.seconds(10))) == [.poll(name, late: 0)])
    }

    @Test(arguments: [(60, 250), (3600, 250), (86_400, 250)])
    func `Ten thousand endpoints start spread out, also those that are overdue`(
        interval: Int, bound: Int
    ) throws {
        var queue = PollQueue()
        for number in 0..<10_000 {
            let name = try "endpoint-\(number)".endpoint
            let schedule = PollSchedule(name: name, interval: .seconds(interval), jitter: 1)
            queue.insert(name, schedule, isOverdue: true, now: origin)
        }
        var polled = Set<EndpointName>()
        var most = 0
        for second in 1...61 {
            var count = 0
            for case .poll(let name, _) in queue.advance(to: after(.seconds(second))) {
                polled.insert(name)
                queue.finish(name)
                count += 1
            }
            most = max(most, count)
        }
        // A sixtieth of all of them is 167.
        #expect(polled.count == 10_000)
        #expect(most < bound)
    }
}
