// SPDX-License-Identifier: Apache-2.0

import PollardStore
import Testing

@Suite struct LatencyHistogramTests {
    @Test func `The bounds are part of the stored form and never change`() {
        #expect(LatencyHistogram.bounds.count == 96)
        #expect(Array(LatencyHistogram.bounds.prefix(6)) == [100, 119, 141, 168, 200, 238])
        #expect(LatencyHistogram.bounds.last == 1_409_286_144)
        #expect(LatencyHistogram.bounds == LatencyHistogram.bounds.sorted())
    }

    @Test func `An empty histogram has no percentiles`() {
        #expect(LatencyHistogram().count == 0)
        #expect(LatencyHistogram().quantile(0.5) == nil)
    }

    @Test(arguments: [
        (Duration.milliseconds(-3), Duration.microseconds(100)),
        (.zero, .microseconds(100)),
        (.microseconds(100), .microseconds(100)),
        (.microseconds(101), .microseconds(119)),
        (.milliseconds(50), .microseconds(51_200)),
        (.seconds(30), .microseconds(100 << 18) + .microseconds((119 - 100) << 18)),
        (.seconds(86_400), .microseconds(1_409_286_144)),
    ])
    func `A duration is in the first bucket that holds it`(duration: Duration, bound: Duration) {
        var histogram = LatencyHistogram()
        histogram.record(duration)
        #expect(histogram.quantile(1) == bound)
    }

    @Test(arguments: [0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 1.0])
    func `Percentiles are off by less than a fifth`(share: Double) throws {
        var histogram = LatencyHistogram()
        // Durations between 1 ms and 1 s, each as likely on a logarithmic scale.
        var durations: [Int64] = []
        var microseconds = 1_000.0
        while microseconds < 1_000_000 {
            durations.append(Int64(microseconds))
            microseconds *= 1.001
        }
        for duration in durations { histogram.record(.microseconds(duration)) }
        let rank = max(1, Int((share * Double(durations.count)).rounded(.up)))
        let exact = Double(durations[rank - 1])
        let estimate = try #require(histogram.quantile(share)) / .microseconds(1)
        #expect(abs(estimate - exact) < exact * 0.2)
    }

    @Test func `Histograms add up`() {
        var (first, second, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for number in 1...500 {
            let duration = Duration.microseconds(number * number * 7)
            if number.isMultiple(of: 3) { first.record(duration) } else { second.record(duration) }
            both.record(duration)
        }
        first.merge(second)
        #expect(first == both)
        #expect(first.count == 500)
    }

    @Test func `The stored form reads back`() {
        var histogram = LatencyHistogram()
        #expect(histogram.encoded == [1])
        for _ in 0..<300 { histogram.record(.microseconds(110)) }
        histogram.record(.seconds(100_000))
        #expect(histogram.encoded == [1, 1, 0xac, 0x02, 96, 1])
        #expect(LatencyHistogram(encoded: histogram.encoded) == histogram)
    }

    @Test(
        arguments: [
            [], [2], [1, 5], [1, 5, 0x80], [1, 5, 0], [1, 97, 1], [1, 5, 1, 5, 1], [1, 6, 1, 5, 1],
            [1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
            [1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ] as [[UInt8]])
    func `Damaged bytes are no histogram`(bytes: [UInt8]) {
        #expect(LatencyHistogram(encoded: bytes) == nil)
    }
}
