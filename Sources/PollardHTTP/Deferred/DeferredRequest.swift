// SPDX-License-Identifier: Apache-2.0

/// A request that is kept until the server has taken it, or refused it for good.
public struct DeferredRequest: Sendable, Hashable, Identifiable {
    /// Its place in the order of the queue; unique in its directory as long as it is kept.
    public let id: UInt64
    /// What is sent, without credentials: it gets those of the time of its replay.
    public let request: HTTPRequest
    /// When it was deferred, in seconds since 1970.
    public let deferredAt: Int64
    /// How often it was sent, in vain.
    public internal(set) var attempts = 0
    /// How many of these attempts the server answered with an error that may pass.
    public internal(set) var serverErrors = 0
    /// Why the last attempt failed, in one clause without secrets; nil before the first.
    public internal(set) var lastCause: String?
    /// Whether it is not sent again by itself.
    public internal(set) var isFailed = false

    /// The name of its file; in the order of the queue by name.
    var fileName: String {
        let digits = String(id)
        return String(repeating: "0", count: 20 - digits.count) + digits + Self.suffix
    }

    /// What the name of every file ends with.
    static let suffix = ".request"
}

extension DeferredRequest {
    /// Names the version of the format; another one is damage.
    private static let mark: StaticString = "PLDEFER1"

    /// The bytes of its file.
    var sealed: [UInt8] {
        var writer = ByteWriter()
        writer.write(id)
        writer.write(deferredAt)
        writer.write(UInt64(attempts))
        writer.write(UInt64(serverErrors))
        writer.write(lastCause ?? "")
        writer.write(UInt64(isFailed ? 1 : 0))
        writer.write(request.url)
        writer.write(request.method.rawValue)
        writer.write(request.fields)
        writer.write(UInt64(request.body == nil ? 0 : 1))
        writer.write(request.body ?? [])
        writer.write(request.timeouts.total.nanoseconds)
        writer.write(request.timeouts.connect.nanoseconds)
        writer.write(request.timeouts.idle?.nanoseconds ?? -1)
        writer.write(Int64(request.maximumRedirects))
        writer.write(Int64(request.maximumBodyBytes))
        writer.write(request.flags)
        return SealedRecord.seal(writer.bytes, mark: Self.mark)
    }

    /// Reads a file; nil if it is damaged or of another version.
    init?(sealed bytes: [UInt8]) {
        guard let content = SealedRecord.open(bytes, mark: Self.mark) else { return nil }
        var reader = ByteReader(content)
        guard let id = reader.readNumber(), let deferredAt = reader.readSigned(),
            let attempts = reader.readNumber(), let serverErrors = reader.readNumber(),
            let cause = reader.readText(), let isFailed = reader.readNumber(),
            let request = HTTPRequest(deferred: &reader), reader.isAtEnd
        else { return nil }
        self.id = id
        self.request = request
        self.deferredAt = deferredAt
        self.attempts = Int(truncatingIfNeeded: attempts)
        self.serverErrors = Int(truncatingIfNeeded: serverErrors)
        lastCause = cause.isEmpty ? nil : cause
        self.isFailed = isFailed == 1
    }

    /// Makes one that was not sent yet.
    init(id: UInt64, request: HTTPRequest, deferredAt: Int64) {
        self.id = id
        self.request = request
        self.deferredAt = deferredAt
    }
}

extension HTTPRequest {
    fileprivate init?(deferred reader: inout ByteReader) {
        guard let url = reader.readText(), let method = reader.readText(),
            let fields = reader.readFields(), let hasBody = reader.readNumber(),
            let body = reader.readBytes(), let total = reader.readSigned(),
            let connect = reader.readSigned(), let idle = reader.readSigned(),
            let redirects = reader.readSigned(), let largest = reader.readSigned(),
            let flags = reader.readNumber()
        else { return nil }
        self.init(
            url: url, method: HTTPMethod(rawValue: method), fields: fields,
            body: hasBody == 1 ? body : nil)
        timeouts.total = .nanoseconds(total)
        timeouts.connect = .nanoseconds(connect)
        timeouts.idle = idle < 0 ? nil : .nanoseconds(idle)
        maximumRedirects = Int(truncatingIfNeeded: redirects)
        maximumBodyBytes = Int(truncatingIfNeeded: largest)
        self.flags = flags
    }

    /// What is yes or no; a bit that an older file does not have is 0, which is the default.
    fileprivate var flags: UInt64 {
        get {
            (keepsConnection ? 1 : 0) | (takesClientCredentials ? 0 : 2) | (isRetried ? 0 : 4)
        }
        set {
            keepsConnection = newValue & 1 != 0
            takesClientCredentials = newValue & 2 == 0
            isRetried = newValue & 4 == 0
        }
    }
}
