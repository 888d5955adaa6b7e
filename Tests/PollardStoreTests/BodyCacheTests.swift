// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardStore

@Suite struct BodyCacheTests {
    private func body(_ byte: UInt8, count: Int = 10) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    private func kept(_ cache: BodyCache, among bodies: [[UInt8]]) -> [[UInt8]] {
        bodies.filter { cache.body(ContentDigest(of: $0)) == $0 }
    }

    @Test func `The oldest bodies go when there are too many bytes`() {
        var cache = BodyCache(maximumBytes: 25)
        let bodies = [body(1), body(2), body(3)]
        for body in bodies { cache.keep(body, digest: ContentDigest(of: body)) }
        #expect(kept(cache, among: bodies) == [body(2), body(3)])
        let large = body(4, count: 26)
        cache.keep(large, digest: ContentDigest(of: large))
        #expect(kept(cache, among: bodies + [large]) == [body(2), body(3)])
    }

    @Test func `The oldest bodies go when there are too many`() {
        var cache = BodyCache(maximumBytes: 1 << 20)
        let bodies = (0..<100).map { body($0) }
        for body in bodies + bodies { cache.keep(body, digest: ContentDigest(of: body)) }
        #expect(kept(cache, among: bodies) == Array(bodies.suffix(64)))
    }

    @Test func `A cache of no bytes keeps nothing`() {
        var cache = BodyCache(maximumBytes: 0)
        cache.keep([], digest: ContentDigest(of: []))
        #expect(cache.body(ContentDigest(of: [])) == nil)
    }
}
