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
        let number = number(of: time)
        advance(to: number)
        guard number > newest - Int64(buckets.count) else { return }
        buckets[place(of: number)] += count
    }

    /// The count within the window that ends at `now`.
    package mutating func total(at now: Timestamp) -> Int {
        advance(to: number(of: now))
        return buckets.reduce(0, +)
    }

    private mutating func advance(to number: Int64) {
        let size = Int64(buckets.count)
        if number <= newest - 2 * size {
            // The clock was set back: what was counted by its old time would never leave.
            newest = number - size
        }
        guard number > newest else { return }
        for passed in max(newest + 1, number - size + 1)...number { buckets[place(of: passed)] = 0 }
        newest = number
    }

    private func number(of time: Timestamp) -> Int64 {
        time.microseconds / width - (time.microseconds % width < 0 ? 1 : 0)
    }

    private func place(of number: Int64) -> Int {
        let place = Int(number % Int64(buckets.count))
        return place < 0 ? place + buckets.count : place
    }
}
