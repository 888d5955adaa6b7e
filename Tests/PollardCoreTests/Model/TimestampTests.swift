// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399_999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_800_000_001, "2000-03-01T00:00:00.000001Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (1_796_024_432_000_012, "2026-11-30T07:40:32.000012Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        ] as [(Int64, String)])
    func `An instant is written as RFC 3339 has it`(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339(.microseconds) == text)
    }

    @Test func `Digits that are not asked for are cut, not rounded`() {
        let instant = Timestamp(microseconds: 1_796_024_432_999_999)
        #expect(instant.rfc3339() == "2026-11-30T07:40:32.999Z")
        #expect(instant.rfc3339(.seconds) == "2026-11-30T07:40:32Z")
    }

    @Test(arguments: [Int64.min, .max])
    func `A damaged time is written, too`(microseconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).rfc3339().hasSuffix("Z"))
    }
}
