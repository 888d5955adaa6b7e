// SPDX-License-Identifier: Apache-2.0

/// Counts what happened within the last while, in buckets of equal width.
package struct SlidingCount: Sendable {
    private let width: Int64
    private var buckets: [Int]
    /// The number of the newest bucket since the epoch.
    private var newest: Int64 = 0

    /// Makes a count over the last `window`.
    ///
    /// - Parameters:
    ///   - window: How far back is counted.
    ///   - buckets: The number of parts of the window; more make its end sharper.
    package init(window: Duration, buckets: Int) {
        precondition(buckets > 0 && window > .zero)
        width = max(1, window.wholeMicroseconds / Int64(buckets))
        self.buckets = Array(repeating: 0, count: buckets)
    }

    /// Counts `count` at `time`; times before the window are ignored.
    package mutating func add(_ count: Int = 1, at time: Timestamp) {
        let number = time.microseconds / width
        advance(to: number)
        guard number > newest - Int64(buckets.count) else { return }
        buckets[Int(number % Int64(buckets.count))] += count
    }

    /// The count within the window that ends at `now`.
    package mutating func total(at now: Timestamp) -> Int {
        advance(to: now.microseconds / width)
        return buckets.reduce(0, +)
    }

    private mutating func advance(to number: Int64) {
        guard number > newest else { return }
        let size = Int64(buckets.count)
        for passed in max(newest + 1, number - size + 1)...number {
            buckets[Int(passed % size)] = 0
        }
        newest = number
    }
}
