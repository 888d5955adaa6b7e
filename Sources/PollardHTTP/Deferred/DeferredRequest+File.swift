// SPDX-License-Identifier: Apache-2.0

extension DeferredRequest {
    /// The name of its file.
    var fileName: String { DeferredFileName.make(id, DeferredFileName.request) }

    /// Names the version of the format; another one is damage.
    private static let mark: StaticString = "PLDEFER2"

    /// The bytes of its file.
    var sealed: [UInt8] {
        var writer = ByteWriter()
        writer.write(id)
        writer.write(deferredAt)
        writer.write(UInt64(attempts))
        writer.write(UInt64(serverErrors))
        writer.write(lastCause ?? "")
        writer.write(isFailed)
        writer.write(content)
        return SealedRecord.seal(writer.bytes, mark: Self.mark)
    }

    /// Reads a file; nil if it is damaged or of another version.
    init?(sealed bytes: [UInt8]) {
        guard let content = SealedRecord.open(bytes, mark: Self.mark) else { return nil }
        var reader = ByteReader(content)
        guard let id = reader.readNumber(), let deferredAt = reader.readSigned(),
            let attempts = reader.readNumber(), let serverErrors = reader.readNumber(),
            let cause = reader.readText(), let isFailed = reader.readFlag(),
            let content = DeferredContent(&reader), reader.isAtEnd
        else { return nil }
        self.init(id: id, content: content, deferredAt: deferredAt)
        self.attempts = Int(truncatingIfNeeded: attempts)
        self.serverErrors = Int(truncatingIfNeeded: serverErrors)
        lastCause = cause.isEmpty ? nil : cause
        self.isFailed = isFailed
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ value: Bool) { write(UInt64(value ? 1 : 0)) }

    /// The number of texts, and each of them.
    fileprivate mutating func write(_ texts: [String]) {
        write(UInt64(texts.count))
        for text in texts { write(text) }
    }

    fileprivate mutating func write(_ content: DeferredContent) {
        let request = content.request
        write(request.url)
        write(request.method.rawValue)
        write(request.fields)
        write(request.body != nil)
        write(request.body ?? [])
        write(request.timeouts.total.nanoseconds)
        write(request.timeouts.connect.nanoseconds)
        write(request.timeouts.idle?.nanoseconds ?? -1)
        write(Int64(request.maximumRedirects))
        write(Int64(request.maximumBodyBytes))
        write(request.keepsConnection)
        write(request.credentialFields.sorted())
        write(content.requiresToken)
        write(content.retry != nil)
        if let retry = content.retry { write(retry) }
    }

    private mutating func write(_ retry: RetryPolicy) {
        write(Int64(retry.attempts))
        write(retry.initial.nanoseconds)
        write(retry.maximum.nanoseconds)
        write(retry.retriesUnsafeMethods)
        write(retry.maximumRetryAfter.nanoseconds)
        write(retry.statuses.sorted().map { String($0) })
        write(retry.codes.map(\.rawValue).sorted())
    }
}

extension ByteReader {
    fileprivate mutating func readFlag() -> Bool? { readNumber().map { $0 == 1 } }

    fileprivate mutating func readTexts() -> [String]? {
        guard let count = readNumber() else { return nil }
        var texts: [String] = []
        for _ in 0..<count {
            guard let text = readText() else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension DeferredContent {
    fileprivate init?(_ reader: inout ByteReader) {
        guard let url = reader.readText(), let method = reader.readText(),
            let fields = reader.readFields(), let hasBody = reader.readFlag(),
            let body = reader.readBytes(), let total = reader.readSigned(),
            let connect = reader.readSigned(), let idle = reader.readSigned(),
            let redirects = reader.readSigned(), let largest = reader.readSigned(),
            let keeps = reader.readFlag(), let credentials = reader.readTexts(),
            let requiresToken = reader.readFlag(), let hasRetry = reader.readFlag()
        else { return nil }
        var request = HTTPRequest(
            url: url, method: HTTPMethod(rawValue: method), fields: fields,
            body: hasBody ? body : nil)
        request.timeouts.total = .nanoseconds(total)
        request.timeouts.connect = .nanoseconds(connect)
        request.timeouts.idle = idle < 0 ? nil : .nanoseconds(idle)
        request.maximumRedirects = Int(truncatingIfNeeded: redirects)
        request.maximumBodyBytes = Int(truncatingIfNeeded: largest)
        request.keepsConnection = keeps
        request.credentialFields = Set(credentials)
        self.init(request: request, requiresToken: requiresToken)
        guard hasRetry else { return }
        guard let retry = RetryPolicy(&reader) else { return nil }
        self.retry = retry
    }
}

extension RetryPolicy {
    fileprivate init?(_ reader: inout ByteReader) {
        guard let attempts = reader.readSigned(), let initial = reader.readSigned(),
            let maximum = reader.readSigned(), let retriesUnsafe = reader.readFlag(),
            let retryAfter = reader.readSigned(), let statuses = reader.readTexts(),
            let codes = reader.readTexts()
        else { return nil }
        self.init(
            attempts: Int(truncatingIfNeeded: attempts), initial: .nanoseconds(initial),
            maximum: .nanoseconds(maximum), retriesUnsafeMethods: retriesUnsafe)
        maximumRetryAfter = .nanoseconds(retryAfter)
        self.statuses = Set(statuses.compactMap { Int($0) })
        self.codes = Set(codes.map { NetworkError.Code(rawValue: $0) })
    }
}
