// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The URLs sent last, parsed: those who poll, or call an API, send the same ones again and again.
final class ParsedURLs: Sendable {
    /// The most URLs kept.
    static let maximumCount = 256
    /// Longer URLs are not kept, in bytes: with what is parsed, a kept one takes up to 5 KiB.
    static let maximumLength = 2 << 10

    private let urls = Mutex<[String: RequestURL]>([:])

    /// Makes an empty list.
    init() {}

    /// The URL with this text.
    ///
    /// - Throws: `NetworkError.Code.invalidURL` as `RequestURL` does.
    func url(_ text: String) throws(NetworkError) -> RequestURL {
        // Strings are equal if they look the same: a text of as many bytes as one in ASCII, and
        // equal to it, is the same.
        if let known = urls.withLock({ $0[text] }), known.text.utf8.count == text.utf8.count {
            return known
        }
        let url = try RequestURL(text)
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return url
        }
        urls.withLock { urls in
            if urls.count >= Self.maximumCount { urls.removeAll(keepingCapacity: true) }
            urls[text] = url
        }
        return url
    }
}
