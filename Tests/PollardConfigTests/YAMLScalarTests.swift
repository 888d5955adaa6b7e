// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

@Suite struct YAMLScalarTests {
    @Test(
        arguments: [
            ("", .null), ("~", .null), ("null", .null), ("NULL", .null), ("nULL", .text),
            ("true", .boolean(true)), ("FALSE", .boolean(false)), ("yes", .text), ("on", .text),
            ("0", .integer), ("-17", .integer), ("+1", .integer), ("0123", .integer),
            ("12345678901234567890123", .integer), ("0o17", .integer), ("0o18", .text),
            ("0o", .text),
            ("0xFF", .integer), ("0x", .text), ("-0x1", .text), ("0b1", .text), ("1_000", .text),
            ("1.", .decimal), (".5", .decimal), ("-.5", .decimal), ("1e3", .decimal),
            ("1.5E-3", .decimal), (".", .text), ("1e", .text), ("e3", .text), ("1.2.3", .text),
            (".inf", .decimal), ("-.INF", .decimal), (".nan", .decimal), ("inf", .text),
            ("12:30", .text), ("2020-01-01", .text), ("+", .text), ("-", .text), ("<<", .text),
            ("٣", .text),
        ] as [(String, YAMLScalar.ScalarType)])
    func `A plain scalar means what the core schema says`(
        text: String, type: YAMLScalar.ScalarType
    ) {
        #expect(YAMLScalar(text, isPlain: true).type == type)
        #expect(YAMLScalar(text, isPlain: false).type == .text)
    }
}
