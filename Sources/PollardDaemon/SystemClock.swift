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
        // Two draws: each is a system call.
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
