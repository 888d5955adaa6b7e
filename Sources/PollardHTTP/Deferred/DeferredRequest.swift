// SPDX-License-Identifier: Apache-2.0

/// A request that is kept until the server has taken it, or refused it for good.
public struct DeferredRequest: Sendable, Hashable, Identifiable {
    /// Its place in the order of the queue; no other of its directory ever gets it.
    public let id: UInt64
    /// What is sent, without credentials and without the client's fields: it gets those of the time
    /// of its replay.
    public var request: HTTPRequest { content.request }
    /// The same with how a client sends it.
    let content: DeferredContent
    /// When it was deferred, in seconds since 1970.
    public let deferredAt: Int64
    /// How often it was sent, in vain.
    public internal(set) var attempts = 0
    /// How many of these attempts failed in a way that may pass, though there was a network: with an
    /// error of the server, or with something that is no answer.
    public internal(set) var serverErrors = 0
    /// Why the last attempt failed, in one clause without secrets; nil before the first.
    public internal(set) var lastCause: String?
    /// Whether it is not sent again by itself.
    public internal(set) var isFailed = false

    /// Makes one that was not sent yet.
    init(id: UInt64, content: DeferredContent, deferredAt: Int64) {
        self.id = id
        self.content = content
        self.deferredAt = deferredAt
    }
}
