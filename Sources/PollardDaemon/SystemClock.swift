// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PollardCore

/// The wall clock of the machine.
enum SystemClock {
    /// The present instant.
    static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

/// The ids of events in the journal.
enum EventID {
    /// 32 hexadecimal digits: 128 random bits, so that no two events ever share an id.
    static func random() -> String {
        let digits = "0123456789abcdef"
        return String((0..<32).compactMap { _ in digits.randomElement() })
    }
}
