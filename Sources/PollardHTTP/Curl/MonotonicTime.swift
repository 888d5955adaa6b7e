// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Nanoseconds of the clock that libcurl uses too, which no one sets and which stops in suspend.
enum MonotonicTime {
    /// The time now.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, at most about 146 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds.magnitude < UInt64(Int64.max / 2_000_000_000) else {
            return seconds < 0 ? Int64.min / 2 : Int64.max / 2
        }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// As messages give a limit: `500 ms`, `1.5 s`, `30 s`.
    var inMessages: String {
        let milliseconds = nanoseconds / 1_000_000
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let rest = milliseconds % 1000
        guard rest > 0 else { return "\(milliseconds / 1000) s" }
        var digits = String(rest + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(milliseconds / 1000).\(digits) s"
    }
}

extension Int {
    /// As messages give a size in bytes: `16 MiB`, `256 KiB`, `1000 bytes`.
    var inBytes: String {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        for (shift, name) in units where self > 0 && self % (1 << shift) == 0 {
            return "\(self >> shift) \(name)"
        }
        return self == 1 ? "1 byte" : "\(self) bytes"
    }
}
