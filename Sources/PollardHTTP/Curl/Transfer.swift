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
        /// The head does not say where the content ends.
        case invalidLength
        /// The server speaks another protocol from now on.
        case switchedProtocols
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
    var head = ReceivedHead()
    /// The content of the answer.
    var body: [UInt8] = []
    /// How the content is decompressed; nil if it is not compressed.
    var decoding: ContentDecoding?
    /// Why a callback refused more bytes, if one did.
    var refusal: Refusal?
    /// Whether libcurl may send the request again after this answer, and then gets another.
    ///
    /// Content, or the end, tell that it does not.
    var isProvisional = false
    /// Whether this answer is a redirect whose content nobody will see.
    var isRedirect = false
    /// The content of a redirect so far, in bytes.
    var discardedByteCount = 0
    /// Whether the request was sent once more, on a connection of its own.
    var isSentAnew = false
    /// Where contents are collected.
    let buffers: AnswerBuffers
    /// Where to say that there is something for the reader.
    let notices: StreamNotices
    private let allLimits: TimeLimits

    /// Makes the transfer of a request that is not yet admitted.
    init(
        _ submission: Submission, id: UInt64, in pool: ConnectionPool, maximumHeaderBytes: Int,
        buffers: AnswerBuffers, notices: StreamNotices
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
        head = ReceivedHead(fieldsIn: buffers.takeFields())
        body = []
        decoding = nil
        refusal = nil
        isRedirect = false
        isProvisional = false
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
}
