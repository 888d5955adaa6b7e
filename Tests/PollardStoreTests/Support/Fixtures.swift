// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardStore
import Testing

extension EndpointName: ExpressibleByStringLiteral {
    /// Makes a name of a literal that is one.
    public init(stringLiteral text: String) {
        guard let name = Self(rawValue: text) else { preconditionFailure("no name: \(text)") }
        self = name
    }
}

extension NewChange {
    /// A change to `body`, made `minute` minutes after a fixed instant; all else follows from it.
    static func to(
        _ body: [UInt8], after previous: Snapshot? = nil, minute: Int64 = 0,
        event: String? = nil
    ) -> NewChange {
        let at = Timestamp.minute(minute)
        var state = EndpointState()
        state.lastPoll = EndpointState.LastPoll(
            at: at, duration: .milliseconds(120), status: 200, failure: nil, attempts: 2)
        state.lastChange = at
        var summary = ChangeSummary()
        summary.updated = previous == nil ? 0 : 1
        summary.lines = previous == nil ? [] : [#"~ /price "a\b" -> 12"#]
        summary.patch = previous == nil ? nil : #"[{"op":"replace","path":"/price","value":12}]"#
        return NewChange(
            kind: previous == nil ? .first : .changed,
            event: event ?? String.hexadecimal(minute), digest: ContentDigest(of: body),
            body: body, contentType: "application/json", takenAt: at, previous: previous,
            summary: summary, state: state)
    }
}

extension NotedPoll {
    /// A poll made `minute` minutes after a fixed instant.
    static func of(
        _ name: EndpointName, minute: Int64, failure: String? = nil,
        duration: Duration = .milliseconds(50), state: EndpointState = EndpointState()
    ) -> NotedPoll {
        var state = state
        state.lastPoll = EndpointState.LastPoll(
            at: .minute(minute), duration: duration, status: failure == nil ? 200 : nil,
            failure: failure, attempts: 3)
        return NotedPoll(
            name: name, at: .minute(minute), duration: duration, isFailure: failure != nil,
            state: state)
    }
}

extension Timestamp {
    /// `minute` minutes after 2026-11-30 00:00:00 UTC.
    static func minute(_ minute: Int64) -> Timestamp {
        Timestamp(microseconds: 1_796_083_200_000_000 + minute * 60_000_000)
    }
}

extension String {
    /// 32 hexadecimal digits.
    static func hexadecimal(_ number: Int64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// Numbers that look random, and are the same in each run (Marsaglia, Xorshift RNGs).
struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// A JSON document of about 20 kB, one value of which can be changed at a time.
struct JSONDocument {
    private var items: [String]
    private var generator: Xorshift

    init(seed: UInt64 = 7, items count: Int = 250) {
        var generator = Xorshift(seed: seed)
        items = (0..<count).map { Self.item($0, &generator) }
        self.generator = generator
    }

    var bytes: [UInt8] { Array("[\(items.joined(separator: ","))]".utf8) }

    mutating func changeOneItem() {
        let index = Int.random(in: items.indices, using: &generator)
        items[index] = Self.item(index, &generator)
    }

    private static func item(_ id: Int, _ generator: inout Xorshift) -> String {
        let hash = String(generator.next(), radix: 16)
        let price = Int.random(in: 0...100_000, using: &generator)
        return #"{"id":\#(id),"hash":"\#(hash)","price":\#(price),"at":"2026-11-30T10:00:00Z"}"#
    }
}
