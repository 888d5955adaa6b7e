// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardCore

@Suite struct JSONFuzzTests {
    static let seeds = [
        #"{"a":[1,2.5e3,-0,"x\u00e9\n",true,false,null],"b":{"c":{}},"longer key":"longer text"}"#,
        #"[[[[]]],{"k":"\ud83d\ude00é𝄞"},[1e400,12345678901234567890],""]"#,
        #""just a string with some length""#, "[0,1,2,3,4,5,6,7,8,9]",
    ]

    /// Bytes that matter to a parser, so that mutations hit its decisions.
    static let interesting =
        Array("{}[],:\"\\u0019eE+-.tfn \n\t/".utf8) + [
            0, 0x1f, 0x7f, 0x80, 0xc3, 0xe2, 0xed, 0xf0, 0xff,
        ]

    @Test func `No mutation crashes, and what is accepted survives being written`() throws {
        var generator = Generator(seed: 2024)
        var accepted = 0
        for _ in 0..<20_000 {
            let mutated = Self.mutation(of: Array(generator.pick(Self.seeds).utf8), &generator)
            guard let value = try? JSONValue(parsing: mutated) else { continue }
            accepted += 1
            let written = try JSONValue(parsing: value.text())
            #expect(written == value)
            #expect(
                SnapshotContent.json(written).difference(
                    from: .json(value), rules: ComparisonRules()) == nil)
        }
        #expect(accepted > 500)
    }

    static func mutation(of seed: [UInt8], _ generator: inout Generator) -> [UInt8] {
        var bytes = seed
        for _ in 0...generator.below(3) {
            let place = generator.below(bytes.count + 1)
            switch generator.below(5) {
            case 0: bytes.insert(generator.pick(interesting), at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count: bytes[place] = generator.pick(interesting)
            case 3 where place < bytes.count:
                let end = min(bytes.count, place + generator.below(12))
                bytes.insert(contentsOf: bytes[place..<end], at: generator.below(bytes.count))
            default: bytes = Array(bytes.prefix(max(1, place)))
            }
            if bytes.isEmpty { bytes = [0x5b] }
        }
        return bytes
    }
}
