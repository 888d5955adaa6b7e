// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PollardCompression

/// One request in the loop, from its admission to the answer; confined to the loop's thread.
final class Transfer {
    /// Why a callback refused more bytes.
    enum Refusal: Equatable {
        case bodyTooLarge
        case malformedContent
        case unknownCoding(String)
        case headersTooLarge
        /// The answer is not of the version that is asked for.
        case otherVersion
        /// A redirect is followed without reading the rest of its content.
        case redirectIsKnown
    }

    /// What became of a piece of content.
    enum Receipt {
        case taken
        case refused
        /// It has to come again later.
        case postponed
    }

    /// The most content of a redirect that is read, in bytes, so that its connection can be
    /// used again; for more, a new connection is cheaper.
    static let maximumRedirectBody = 64 << 10
    /// The most memory reserved on a server's word, in bytes.
    static let maximumReservation = 1 << 20

    /// What the caller asked for, and whom to tell.
    let submission: Submission
    /// Unique among all requests of the loop.
    let id: UInt64
    /// The most bytes of header fields.
    let maximumHeaderBytes: Int

    /// The content on its way, if it is read while it comes.
    let stream: StreamOutput?
    /// The connections to use; a redirect may change it.
    var pool: ConnectionPool
    /// What is sent now; a redirect changes it.
    var hop: Hop
    /// The content that is read from files while this hop is sent.
    private(set) var uploadSource: UploadSource?
    /// The number of redirects followed.
    var redirectCount = 0
    /// Where the loop keeps this transfer.
    var slot = -1
    /// Whether the limiter counts this hop as running.
    var isAdmitted = false
    /// The easy handle while it runs, nil while it waits.
    var handle: CurlHandle?
    /// Whether libcurl may look up a name for this hop.
    var mayLookUp = false
    /// Whether libcurl itself ended this hop, so that no lookup is left.
    var isLookupOver = false
    /// The time that earlier hops took, in nanoseconds; waiting for admission is no part of it.
    var spentBefore: Int64 = 0
    /// When this hop was started.
    var hopStart: Int64 = 0
    /// How long this hop may take.
    private(set) var limits: TimeLimits
    /// When the request was sent or, if there is an idle limit, the last byte received.
    private(set) var lastActivity: Int64?
    /// The errno value of the last socket that could not be made; 0 if each could.
    private(set) var socketError: Int32 = 0
    /// The content sent when the idle limit was last looked at, in bytes.
    var sentByteCount: Int64 = 0

    /// The head of the answer.
    private(set) var head = ReceivedHead()
    /// The content of the answer.
    private(set) var body: [UInt8] = []
    /// How the content is decompressed; nil if it is not compressed.
    private var decoding: ContentDecoding?
    /// Why a callback refused more bytes, if one did.
    private(set) var refusal: Refusal?
    /// Whether this is a 401 that libcurl may answer with a proof, and then gets another answer: its
    /// content, or the end, tell that it does not.
    private var isChallenge = false
    /// Whether this answer is a redirect whose content nobody will see.
    private var isRedirect = false
    private var discardedByteCount = 0
    private let buffers: BodyBuffers
    private let notices: StreamNotices
    private let allLimits: TimeLimits

    /// Makes the transfer of a request that is not yet admitted.
    init(
        _ submission: Submission, id: UInt64, in pool: ConnectionPool, maximumHeaderBytes: Int,
        buffers: BodyBuffers, notices: StreamNotices
    ) {
        let request = submission.request
        self.submission = submission
        self.id = id
        self.maximumHeaderBytes = maximumHeaderBytes
        self.pool = pool
        self.buffers = buffers
        self.notices = notices
        stream = submission.channel.map { StreamOutput($0) }
        hop = Hop(
            url: submission.url, method: request.method, fields: request.fields,
            body: request.body, upload: request.upload, digest: request.digest)
        allLimits = TimeLimits(request.timeouts)
        limits = allLimits
    }

    /// Whether a connection is ready and the request is sent.
    var isConnected: Bool { lastActivity != nil }

    /// What the caller asked for.
    var request: HTTPRequest { submission.request }
    /// Whom this hop goes to, and how.
    var route: Route { Route(origin: hop.url.origin, pool: pool.id) }

    /// The name whose address is needed, the proxy's if there is one; nil if none has to be found.
    var nameToLookUp: String? {
        if pool.options.unixSocket != nil { return nil }
        if let proxy = pool.options.proxy {
            return Origin(isSecure: false, host: proxy.host, port: proxy.port).isAddress
                ? nil : proxy.host
        }
        return hop.url.origin.isAddress ? nil : hop.url.origin.host
    }

    /// Opens the files of the content.
    ///
    /// - Throws: `NetworkError.Code.file` with the path of one that can't be read.
    func openUpload() throws(NetworkError) {
        uploadSource = nil
        if let upload = hop.upload { uploadSource = try UploadSource(upload) }
    }

    /// Forgets the answer to the last hop, and starts the clock of the next.
    func begin(now: Int64) {
        hopStart = now
        limits = allLimits.after(spentBefore)
        lastActivity = nil
        mayLookUp = false
        isLookupOver = false
        sentByteCount = 0
        socketError = 0
        head = ReceivedHead()
        body = []
        decoding = nil
        refusal = nil
        isRedirect = false
        isChallenge = false
        discardedByteCount = 0
    }

    /// The time that all hops took so far, in nanoseconds.
    func spent(now: Int64) -> Int64 { spentBefore + now - hopStart }

    /// Makes a socket for libcurl, which would forget why it could not, and let child processes
    /// inherit it.
    ///
    /// - Returns: The descriptor; -1 if there is none.
    func openSocket(_ family: Int32, _ type: Int32, _ protocolNumber: Int32) -> Int32 {
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
        if descriptor < 0 { socketError = errno }
        return descriptor
    }

    /// Notes that the request is about to be sent.
    func noteConnected() {
        lastActivity = MonotonicTime.now
    }

    /// Notes that a byte came or went; exact, and only paid for if somebody asked.
    func noteActivity() {
        if limits.idle != nil { lastActivity = MonotonicTime.now }
    }

    /// Takes one line of the head.
    ///
    /// - Returns: Whether to go on.
    func receiveLine(_ line: Span<UInt8>) -> Bool {
        noteActivity()
        if isChallenge, ReceivedHead.startsHead(line) {
            isChallenge = false
            head.startAnew()
        }
        let completesHead = head.receive(line)
        guard head.byteCount <= maximumHeaderBytes else { return refuse(.headersTooLarge) }
        guard completesHead else { return true }
        guard isVersionAccepted else { return refuse(.otherVersion) }
        isChallenge = hop.digest != nil && head.status == 401
        return isChallenge || beginBody()
    }

    /// Takes a challenge for the answer, if there is one: libcurl has no proof for it.
    ///
    /// - Returns: Whether to go on.
    func settleChallenge() -> Bool {
        guard isChallenge else { return true }
        isChallenge = false
        return beginBody()
    }

    /// libcurl falls back to HTTP/1.1 without a word, also where it is told not to.
    private var isVersionAccepted: Bool {
        pool.options.version != .http2 || handle?.version == "HTTP/2"
    }

    /// Takes a piece of the content as it was sent.
    ///
    /// - Returns: Whether it was taken.
    func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Receipt {
        noteActivity()
        guard settleChallenge() else { return .refused }
        if isRedirect {
            discardedByteCount += chunk.count
            return receipt(
                discardedByteCount <= Self.maximumRedirectBody || refuse(.redirectIsKnown))
        }
        if let stream {
            guard unsafe stream.receive(chunk) else { return .postponed }
            notices.note(self)
            return .taken
        }
        guard decoding != nil else { return unsafe receipt(keep(chunk)) }
        do {
            return receipt(try unsafe decoding?.decode(chunk) { unsafe keep($0) } ?? true)
        } catch {
            return receipt(refuse(.malformedContent))
        }
    }

    private func receipt(_ isTaken: Bool) -> Receipt { isTaken ? .taken : .refused }

    /// Whether the compressed content, if it is, came to its end.
    var isContentComplete: Bool { decoding?.isComplete ?? true }

    private func keep(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard body.count + chunk.count <= request.maximumBodyBytes else {
            return refuse(.bodyTooLarge)
        }
        unsafe body.append(contentsOf: chunk)
        return true
    }

    /// Judges the declared length before any content is received.
    private func beginBody() -> Bool {
        isRedirect =
            request.maximumRedirects > 0 && Hop.location(head.status, head.fields) != nil
        guard beginContent() else { return false }
        if let stream, !isRedirect {
            // The reader decompresses.
            decoding = nil
            stream.isHeadReady = true
            notices.note(self)
        }
        return true
    }

    private func beginContent() -> Bool {
        guard hop.method != .head, head.status != 204, head.status != 304 else { return true }
        if !isRedirect, !beginDecoding() { return false }
        guard let length = head.contentLength else {
            if !isRedirect, stream == nil { body = buffers.take() }
            return true
        }
        if isRedirect {
            return length <= Self.maximumRedirectBody || refuse(.redirectIsKnown)
        }
        // The length of compressed content says nothing: `keep` counts what comes out of it.
        guard decoding != nil || length <= request.maximumBodyBytes else {
            return refuse(.bodyTooLarge)
        }
        guard stream == nil else { return true }
        if decoding == nil, length < BodyBuffers.minimumSize || length > BodyBuffers.maximumSize {
            body.reserveCapacity(min(max(0, length), Self.maximumReservation))
        } else {
            body = buffers.take()
        }
        return true
    }

    private func beginDecoding() -> Bool {
        let values = head.fields[values: "Content-Encoding"]
        guard !values.isEmpty else { return true }
        do {
            let decoding = try ContentDecoding(values)
            if !decoding.isIdentity { self.decoding = decoding }
            return true
        } catch {
            return refuse(.unknownCoding(error.name))
        }
    }

    private func refuse(_ reason: Refusal) -> Bool {
        refusal = reason
        return false
    }
}
