// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// How long polls took, counted in buckets whose bounds grow by a fifth each.
///
/// Percentiles are estimates within one bucket: off by less than a fifth. Histograms of different
/// hours add up exactly.
package struct LatencyHistogram: Sendable, Hashable {
    /// The upper bounds of the buckets in microseconds, inclusive.
    ///
    /// Four to each doubling, from 100 us to 23 min, which is more than three attempts of the
    /// longest sensible timeout take. Longer polls are counted in one bucket above.
    ///
    /// Stored histograms refer to these by position: they are never changed, only added to.
    package static let bounds: [Int64] = (0..<24).flatMap { doubling in
        [100, 119, 141, 168].map { Int64($0) << doubling }
    }

    private struct Bucket: Sendable, Hashable {
        /// The position in `bounds`, or their number for what is above all of them.
        var index: UInt8
        var count: UInt64
    }

    /// The buckets that are not empty, in order: an endpoint fills few of them in an hour.
    private var buckets: [Bucket] = []

    package init() {}

    /// The number of durations recorded.
    package var count: Int { buckets.reduce(0) { $0 + Int(clamping: $1.count) } }

    /// Counts one duration; a negative one as zero.
    package mutating func record(_ duration: Duration) {
        add(1, at: Self.index(of: duration.wholeMicroseconds))
    }

    /// Adds all that `other` counted.
    package mutating func merge(_ other: LatencyHistogram) {
        for bucket in other.buckets { add(bucket.count, at: bucket.index) }
    }

    /// The duration that a share of all recorded ones did not exceed, estimated.
    ///
    /// - Parameter share: Between 0 and 1: 0.95 for the 95th percentile.
    /// - Returns: Nil if nothing was recorded. Beyond the last bound, that bound.
    package func quantile(_ share: Double) -> Duration? {
        guard let last = buckets.last else { return nil }
        let rank = max(1, (min(max(share, 0), 1) * Double(count)).rounded(.up))
        var before = 0.0
        for bucket in buckets {
            let within = Double(bucket.count)
            if before + within >= rank || bucket == last {
                return Self.estimate(in: bucket.index, at: min((rank - before) / within, 1))
            }
            before += within
        }
        return nil
    }

    private mutating func add(_ count: UInt64, at index: UInt8) {
        let place = buckets.firstIndex { $0.index >= index } ?? buckets.endIndex
        if place < buckets.endIndex, buckets[place].index == index {
            buckets[place].count += count
        } else {
            buckets.insert(Bucket(index: index, count: count), at: place)
        }
    }

    /// The first bucket whose bound is not below `microseconds`.
    private static func index(of microseconds: Int64) -> UInt8 {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < microseconds { low = middle + 1 } else { high = middle }
        }
        return UInt8(low)
    }

    /// The duration at `position`, 0 to 1, between the bounds of a bucket.
    private static func estimate(in index: UInt8, at position: Double) -> Duration {
        let index = Int(index)
        guard index < bounds.count else { return .microseconds(bounds[bounds.count - 1]) }
        let lower = index == 0 ? 0 : bounds[index - 1]
        let width = Double(bounds[index] - lower)
        return .microseconds(lower + Int64((width * position).rounded()))
    }
}

// MARK: - Stored form

extension LatencyHistogram {
    /// The first byte of the stored form.
    private static let formatVersion: UInt8 = 1

    /// The stored form: version, then position and count (LEB128) of each bucket in order.
    package var encoded: [UInt8] {
        var bytes = [Self.formatVersion]
        for bucket in buckets {
            bytes.append(bucket.index)
            var rest = bucket.count
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    /// Reads the stored form; nil if `encoded` is none.
    package init?(encoded: [UInt8]) {
        guard encoded.first == Self.formatVersion else { return nil }
        var rest = encoded.dropFirst()
        while let index = rest.popFirst() {
            guard index <= Self.bounds.count, index > (buckets.last.map { Int($0.index) } ?? -1),
                let count = Self.count(from: &rest), count > 0
            else { return nil }
            buckets.append(Bucket(index: index, count: count))
        }
    }

    private static func count(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        // Five groups of seven bits: no hour has more polls, and no sum of them overflows.
        for shift in stride(from: UInt64(0), to: 35, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
