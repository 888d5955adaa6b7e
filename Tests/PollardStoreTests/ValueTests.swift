// SPDX-License-Identifier: Apache-2.0

import PollardCompression
import PollardCore
import Testing

@testable import PollardStore

@Suite struct ContentDigestSHA256Tests {
    // FIPS 180-4's own examples: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `A digest is what sha256sum prints`(text: String, digest: String) {
        #expect(ContentDigest(of: Array(text.utf8)).description == digest)
    }
}

@Suite struct StoredLinesTests {
    @Test(arguments: [
        ([], ""), ([""], "\n"), (["a", "", "b"], "a\n\nb\n"),
        (["two\nlines", #"back\slash \n"#], "two\\nlines\nback\\\\slash \\\\n\n"),
        (["\r\n", "e\u{301}\u{0}"], "\r\\n\ne\u{301}\u{0}\n"),
    ])
    func `Lines read back as they were`(lines: [String], text: String) {
        #expect(StoredLines.encode(lines) == text)
        #expect(StoredLines.decode(text) == lines)
    }
}

@Suite struct NotedPollsTests {
    @Test func `The last state is kept and the counts add up`() {
        var noted = NotedPolls()
        noted.note(.of("a", minute: 1))
        noted.note(.of("a", minute: 2, failure: "no answer"))
        noted.note(.of("b", minute: 2))
        noted.note(.of("a", minute: 61))
        #expect(noted.states["a"]?.lastPoll?.at == .minute(61))
        let hour = Timestamp.minute(0).hour
        #expect(noted.hours.keys.sorted() == [hour, hour + 1])
        #expect(noted.hours[hour]?["a"]?.polls == 2)
        #expect(noted.hours[hour]?["a"]?.failures == 1)
        #expect(noted.hours[hour]?["a"]?.latency.count == 1)
        #expect(noted.hours[hour]?["b"]?.polls == 1)
    }

    @Test func `A forgotten state leaves the counts`() {
        var noted = NotedPolls()
        noted.note(.of("a", minute: 1))
        noted.forgetState(of: "a")
        #expect(noted.states.isEmpty)
        #expect(noted.hours.values.first?["a"]?.polls == 1)
        #expect(!noted.isEmpty)
    }

    @Test func `What could not be written is merged with what came after`() {
        var (noted, expected) = (NotedPolls(), NotedPolls())
        let early: [NotedPoll] = [.of("a", minute: 1), .of("b", minute: 2), .of("a", minute: 61)]
        let late: [NotedPoll] = [.of("a", minute: 62, failure: "no answer"), .of("c", minute: 63)]
        for poll in early { noted.note(poll) }
        let batch = noted.take()
        #expect(noted.isEmpty)
        for poll in late { noted.note(poll) }
        noted.restore(batch)
        for poll in early + late { expected.note(poll) }
        #expect(noted.states == expected.states)
        #expect(noted.hours == expected.hours)
    }

    @Test func `A store that can't be written for days costs bounded memory`() {
        var noted = NotedPolls()
        for minute in 0..<Int64(60 * 100) { noted.note(.of("a", minute: minute)) }
        let first = Timestamp.minute(0).hour
        #expect(noted.hours.keys.sorted() == Array(first + 52..<first + 100))
        #expect(noted.states.count == 1)
    }

    @Test(arguments: [(0, 0), (3_599_999_999, 0), (3_600_000_000, 1), (-1, -1)])
    func `An hour begins at its first microsecond`(microseconds: Int64, hour: Int64) {
        #expect(Timestamp(microseconds: microseconds).hour == hour)
    }
}

@Suite struct ZstdCodecTests {
    @Test(arguments: [0, 1, 1_000, 300_000])
    func `A body reads back alone and after another`(size: Int) throws {
        var generator = Xorshift(seed: 3)
        let prefix = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let body = Array((prefix + prefix.reversed() + prefix).prefix(size))
        let codec = try ZstdCodec()
        let alone = try codec.compress(body)
        #expect(try codec.decompress(alone, size: size) == body)
        let difference = try codec.compress(body, prefix: prefix)
        #expect(try codec.decompress(difference, size: size, prefix: prefix) == body)
        if size >= 1_000 { #expect(difference.count < alone.count) }
    }

    @Test func `A frame with another size or another prefix is refused`() throws {
        let codec = try ZstdCodec()
        let body = JSONDocument(seed: 1).bytes
        let prefix = JSONDocument(seed: 2).bytes
        let frame = try codec.compress(body, prefix: prefix)
        for size in [-1, 0, body.count - 1, body.count + 1, Int.max] {
            #expect(throws: ZstdError.self) {
                try codec.decompress(frame, size: size, prefix: prefix)
            }
        }
        #expect(throws: ZstdError.self) {
            try codec.decompress(frame, size: body.count, prefix: body)
        }
        #expect(throws: ZstdError.self) {
            try codec.decompress([], size: 0)
        }
    }
}
