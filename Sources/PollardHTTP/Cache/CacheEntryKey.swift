// SPDX-License-Identifier: Apache-2.0

/// The short name of a stored answer: hashes of its URL and of the fields that selected it.
///
/// Two answers may get the same by chance; each holds its whole URL and fields, which are compared.
struct CacheEntryKey: Hashable, Sendable {
    /// The hash of the URL.
    let url: UInt64
    /// The hash of the selecting fields.
    let variant: UInt64

    /// Makes a name of both hashes.
    init(url: UInt64, variant: UInt64) { (self.url, self.variant) = (url, variant) }

    /// The name of an answer.
    init(_ stored: StoredResponse) {
        url = Self.hash(ofURL: stored.url)
        var hash = FNVHash(stored.credentials.utf8)
        for (name, value) in stored.selecting.sorted(by: { $0.key < $1.key }) {
            hash.add("\(name):\(value)\n".utf8)
        }
        variant = hash.value
    }

    /// The name that a file has; nil for another file.
    init?(fileName: String) {
        let parts = fileName.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 16 }),
            let url = UInt64(parts[0], radix: 16), let variant = UInt64(parts[1], radix: 16)
        else { return nil }
        (self.url, self.variant) = (url, variant)
    }

    /// The name of the file.
    var fileName: String { "\(FNVHash.hexadecimal(url))-\(FNVHash.hexadecimal(variant))" }

    /// The hash of a URL in the form of `CacheKey`.
    static func hash(ofURL url: String) -> UInt64 { FNVHash(url.utf8).value }
}

extension StoredResponse {
    /// Names the version of the format; another one is a file that is not known.
    private static let mark: StaticString = "PLCACHE2"

    /// Seconds with which nothing overflows: some 30,000 years.
    private static let times: ClosedRange<Int64> = 0...(1 << 40)

    /// The bytes of its file.
    var sealed: [UInt8] {
        var writer = ByteWriter()
        writer.write(url)
        writer.write(credentials)
        writer.write(UInt64(selecting.count))
        for (name, value) in selecting.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            writer.write(value)
        }
        writer.write(requestTime)
        writer.write(responseTime)
        writer.write(UInt64(isInvalid ? 1 : 0))
        writer.write(UInt64(response.status))
        writer.write(response.version)
        writer.write(response.url)
        writer.write(response.fields)
        writer.write(response.body)
        return SealedRecord.seal(writer.bytes, mark: Self.mark)
    }

    /// Reads a file; nil if it is damaged or of another version.
    init?(sealed bytes: [UInt8]) {
        guard let content = SealedRecord.open(bytes, mark: Self.mark) else { return nil }
        var reader = ByteReader(content)
        guard let url = reader.readText(), let credentials = reader.readText(),
            let count = reader.readNumber()
        else { return nil }
        var selecting: [String: String] = [:]
        for _ in 0..<count {
            guard let name = reader.readText(), let value = reader.readText() else { return nil }
            selecting[name] = value
        }
        guard let requestTime = reader.readSigned(), let responseTime = reader.readSigned(),
            let isInvalid = reader.readNumber(), let status = reader.readNumber(),
            let version = reader.readText(), let answered = reader.readText(),
            let fields = reader.readFields(), let body = reader.readBytes(), reader.isAtEnd,
            Self.times.contains(requestTime), Self.times.contains(responseTime)
        else { return nil }
        var response = HTTPResponse(
            status: Int(truncatingIfNeeded: status), fields: fields, body: body, url: answered)
        response.version = version
        self.init(
            url: url, selecting: selecting, credentials: credentials, response: response,
            requestTime: requestTime, responseTime: responseTime, isInvalid: isInvalid == 1)
    }
}
