// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardCore

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ["1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0", "1.000e00", "1000000e-6"],
        ["0", "-0", "0.0", "-0.000", "0e999999999999999999999", "-0e-5"],
        ["100", "1e2", "1E2", "100.0", "1.0e+2", "10000e-2"],
        ["-1.5", "-15e-1", "-0.15e1", "-1.50"],
        ["12345678901234567890", "1234567890123456789e1", "12345678901234567890.0"],
        ["1e400", "10e399", "0.1e401"],
        ["1e999999999999999999", "10e999999999999999998", "0.1e1000000000000000000"],
        ["1e1000000000000000000", "10e999999999999999999", "0.01e1000000000000000002"],
        [
            "1e99999999999999999999999999", "10e99999999999999999999999998",
            "0.1e100000000000000000000000000",
        ],
        [
            "1e-99999999999999999999999999", "10e-100000000000000000000000000",
            "0.1e-99999999999999999999999998",
        ],
        ["1e-1000000000000000000", "0.1e-999999999999999999"],
        ["123456789012345678", "123456789012345678.0", "1234567890123456780e-1"],
        [
            "1234567890123456789012345678901234567890",
            "1234567890123456789012345678901234567890.0",
            "123456789012345678901234567890123456789e1",
        ],
    ])
    func `Numbers of one exact value are equal and have one hash`(texts: [String]) throws {
        let values = try texts.map { try JSONValue(parsing: $0) }
        for left in values {
            for right in values { #expect(left == right, "\(left.text()) \(right.text())") }
        }
        #expect(
            Set(values.map { JSONNumber.hash($0.node, $0.document.bytes.span, .shared) }).count == 1
        )
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "10"), ("1", "1.1"), ("0", "1"), ("0", "1e-999999999999999999999"),
        ("12345678901234567890", "12345678901234567891"),
        ("0.1", "0.10000000000000000555111512312578270211815834045410"),
        ("9007199254740993", "9007199254740992"), ("1e400", "1e401"), ("1e400", "2e400"),
        ("1e999999999999999999", "1e-999999999999999999"),
        ("1e99999999999999999999", "1e99999999999999999998"),
        ("1e99999999999999999999", "1e-99999999999999999999"), ("1e-400", "0"),
        ("18446744073709551617", "1"), ("100000000000000000000", "1000000000000000000"),
    ])
    func `Numbers of different value differ`(left: String, right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
        #expect(try JSONValue(parsing: right) != JSONValue(parsing: left))
    }

    @Test func `An exponent of a million digits takes little time and memory`() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        let left = try JSONValue(parsing: "1e\(digits)")
        let right = try JSONValue(parsing: "10e\(digits)")
        let same = try JSONValue(parsing: "10e\(digits.dropLast())8")
        #expect(left != right)
        #expect(left == same)
    }

    @Test func `Long numbers that agree modulo 2 to the 64 differ in their hashes`() throws {
        let left = try JSONValue(parsing: "1000000000000000000001")
        let right = try JSONValue(parsing: "1000000000000000000001e1")
        let hashes = [left, right].map { JSONNumber.hash($0.node, $0.document.bytes.span, .shared) }
        #expect(hashes[0] != hashes[1])
    }
}
