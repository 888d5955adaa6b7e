// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import PollardHTTP

/// A cache in front of a transport, with a clock that a test sets.
struct CachingFixture {
    /// A time of day that stands until it is set.
    final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_800_000_000)

        var now: Int64 { seconds.withLock { $0 } }
        func advance(_ count: Int64) { seconds.withLock { $0 += count } }
    }

    let clock = Clock()

    /// In front of real connections.
    func transport() throws -> CachingTransport { transport(try CurlTransport()) }

    /// In front of a stub.
    func transport(
        _ transport: any HTTPTransport, _ cache: ResponseCache = ResponseCache()
    ) -> CachingTransport {
        CachingTransport(transport, cache: cache) { [clock] in clock.now }
    }
}

extension HTTPRequest {
    static func get(_ url: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(url: url, fields: fields)
    }
}
