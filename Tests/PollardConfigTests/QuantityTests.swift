// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

@Suite struct QuantityTests {
    @Test(
        arguments: [
            ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("1.5s", .milliseconds(1500)),
            ("5min", .seconds(300)), ("5m", .seconds(300)), ("1h 30m", .seconds(5400)),
            ("1h30min", .seconds(5400)), ("2 days", .seconds(172_800)), ("1w", .seconds(604_800)),
            ("7us", .microseconds(7)), ("0s", .zero), (" 1 s ", .seconds(1)),
            ("0.000001s", .microseconds(1)), ("1s 1s", .seconds(2)),
            ("", nil), (" ", nil), ("5", nil), ("s", nil), ("5x", nil), ("-5s", nil), ("+5s", nil),
            ("5S", nil), ("1M", nil), ("1y", nil), ("1.s", nil), (".5s", nil), ("1.5.5s", nil),
            ("1e3s", nil), ("1h 30", nil), ("5 s x", nil), ("1234567890s", nil), ("٣s", nil),
            ("999999999w 999999999w 999999999w 999999999w", nil), ("0.0000001s", nil),
        ] as [(String, Duration?)])
    func `A time span is what systemd understands by it`(text: String, duration: Duration?) {
        #expect(TimeSpan.duration(text) == duration)
    }

    @Test(
        arguments: [
            ("512B", 512), ("64KiB", 65_536), ("8 MiB", 8_388_608), ("1.5MiB", 1_572_864),
            ("1GiB", 1_073_741_824), ("0B", 0), ("0.1B", 0),
            ("", nil), ("64", nil), ("64K", nil), ("64kB", nil), ("1MB", nil), ("1kib", nil),
            ("-1B", nil), ("1B 1B", nil), ("KiB", nil), ("1 KiB ", nil),
        ] as [(String, Int?)])
    func `A size has a binary unit`(text: String, bytes: Int?) {
        #expect(ByteSize.bytes(text) == bytes)
    }

    @Test func `Quantities are shown in the largest unit without a fraction`() {
        #expect(
            [.milliseconds(100), .seconds(90), .seconds(3600), .seconds(366 * 86_400)]
                .map(TimeSpan.text) == ["100ms", "90s", "1h", "366d"])
        #expect([1, 1536, 1 << 20, 1 << 30].map(ByteSize.text) == ["1B", "1536B", "1MiB", "1GiB"])
    }
}
