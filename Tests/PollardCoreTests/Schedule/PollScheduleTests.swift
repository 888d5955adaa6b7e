// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct PollScheduleTests {
    private func schedule(
        _ name: String, _ interval: Duration = .seconds(60), jitter: Double = 1
    ) throws -> PollSchedule {
        let name = try #require(EndpointName(rawValue: name))
        return PollSchedule(name: name, interval: interval, jitter: jitter)
    }

    @Test func `The phase of a name never changes`() throws {
        #expect(try schedule("orders").phase == 32_892_012)
    }

    @Test func `Without jitter every endpoint is polled at the same instants`() throws {
        #expect(try schedule("a", jitter: 0).phase == 0)
        #expect(try schedule("b", jitter: 0).phase == 0)
    }

    @Test func `Ten thousand names spread evenly over the interval`() throws {
        var tenths = Array(repeating: 0, count: 10)
        for number in 0..<10_000 {
            tenths[Int(try schedule("endpoint-\(number)").phase / 6_000_000)] += 1
        }
        #expect(tenths.allSatisfy { (900...1100).contains($0) }, "\(tenths)")
    }

    @Test(arguments: [0.1, 0.5]) func `Jitter bounds the phase`(jitter: Double) throws {
        for number in 0..<1000 {
            let phase = try schedule("endpoint-\(number)", jitter: jitter).phase
            #expect(phase < Int64(60_000_000 * jitter))
        }
    }

    @Test func `The next instant is later than now by at most one interval`() throws {
        let schedule = try schedule("orders")
        for offset in stride(from: Int64(0), to: 120_000_000, by: 999_983) {
            let now = Timestamp(microseconds: 1_800_000_000_000_000 + offset)
            let next = schedule.next(after: now)
            #expect(next > now && next.since(now) <= .seconds(60))
            #expect(next.microseconds % 60_000_000 == schedule.phase)
        }
    }

    @Test func `An instant of the schedule is followed by the one after it`() throws {
        let schedule = try schedule("orders")
        let first = schedule.next(after: Timestamp(microseconds: 0))
        #expect(schedule.next(after: first).since(first) == .seconds(60))
    }

    @Test func `Instants before 1970 follow the same phase`() throws {
        let schedule = try schedule("orders")
        let next = schedule.next(after: Timestamp(microseconds: -1_000_000))
        #expect(next.microseconds == schedule.phase)
    }
}
