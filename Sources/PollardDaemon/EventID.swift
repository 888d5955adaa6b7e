// SPDX-License-Identifier: Apache-2.0

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
