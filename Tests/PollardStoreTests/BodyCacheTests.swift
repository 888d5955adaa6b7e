// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardStore

@Suite struct BodyCacheTests {
    private func body(_ byte: UInt8, count: Int = 10) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    private func kept(_ cache: inout BodyCache, among bodies: [[UInt8]]) -> [[UInt8]] {
        bodies.filter { cache.body(ContentDigest(of: $0)) == $0 }
    }

    /// A cache for two bodies of ten bytes, and a few bytes more.
    private func smallCache() -> BodyCache {
        BodyCache(maximumBytes: 2 * (10 + BodyCache.overhead) + 5)
    }

    @Test func `The oldest bodies go when there are too many bytes`() {
        var cache = smallCache()
        let bodies = [body(1), body(2), body(3)]
        for body in bodies { cache.keep(body, digest: ContentDigest(of: body)) }
        #expect(kept(&cache, among: bodies) == [body(2), body(3)])
        let large = body(4, count: 2 * (10 + BodyCache.overhead) - BodyCache.overhead + 6)
        cache.keep(large, digest: ContentDigest(of: large))
        #expect(kept(&cache, among: bodies + [large]) == [body(2), body(3)])
    }

    @Test func `A body that was used again goes later than one that was not`() {
        var cache = smallCache()
        let bodies = [body(1), body(2), body(3)]
        for body in bodies.prefix(2) { cache.keep(body, digest: ContentDigest(of: body)) }
        #expect(cache.body(ContentDigest(of: bodies[0])) == bodies[0])
        cache.keep(bodies[2], digest: ContentDigest(of: bodies[2]))
        #expect(kept(&cache, among: bodies) == [body(1), body(3)])
    }

    @Test func `A body kept twice counts once`() {
        var cache = smallCache()
        let bodies = [body(1), body(2)]
        for body in bodies + bodies + bodies {
            cache.keep(body, digest: ContentDigest(of: body))
        }
        #expect(kept(&cache, among: bodies) == bodies)
    }

    @Test func `After thousands of uses the last ones are kept`() {
        var cache = BodyCache(maximumBytes: 8 * (10 + BodyCache.overhead))
        let bodies = (0..<100).map { body($0) }
        for _ in 0..<20 {
            for body in bodies { cache.keep(body, digest: ContentDigest(of: body)) }
        }
        #expect(kept(&cache, among: bodies) == Array(bodies.suffix(8)))
    }

    @Test func `A cache of no bytes keeps nothing`() {
        var cache = BodyCache(maximumBytes: 0)
        cache.keep([], digest: ContentDigest(of: []))
        #expect(cache.body(ContentDigest(of: [])) == nil)
    }
}
