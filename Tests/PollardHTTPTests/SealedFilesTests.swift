// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

/// What caches and queues write to files, and what they make of damaged ones.
@Suite struct SealedFilesTests {
    private let stored: StoredResponse = {
        var response = HTTPResponse(
            status: 203, fields: ["A": "1", "a": "ü", "Empty": ""], body: Array(0...255),
            url: "https://h/ü")
        response.version = "HTTP/2"
        return StoredResponse(
            url: "https://h/ü", selecting: ["accept": "=a", "b": "-"], credentials: "12",
            response: response, requestTime: 1, responseTime: 1 << 40, isInvalid: true)
    }()

    @Test func `A stored answer is read as it was written`() {
        #expect(StoredResponse(sealed: stored.sealed) == stored)
    }

    @Test func `A file that is cut anywhere is no answer`() {
        let bytes = stored.sealed
        for count in 0..<bytes.count {
            #expect(StoredResponse(sealed: Array(bytes.prefix(count))) == nil)
        }
        #expect(StoredResponse(sealed: bytes + [0]) == nil)
    }

    @Test func `A file with any bit changed is no answer`() {
        let bytes = stored.sealed
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                #expect(StoredResponse(sealed: damaged) == nil)
            }
        }
    }

    @Test func `A deferred request is read as it was written`() {
        var request = HTTPRequest(
            url: "https://h/a?b", method: .patch, fields: ["A": "b"], body: [])
        request.timeouts.idle = .milliseconds(1500)
        request.maximumRedirects = 3
        request.maximumBodyBytes = .max
        request.keepsConnection = false
        request.credentialFields = ["x-key", "X-Other"]
        var retry = RetryPolicy(attempts: 7, initial: .milliseconds(3), retriesUnsafeMethods: true)
        retry.statuses = [500, 599]
        retry.codes = [.tls]
        let content = DeferredContent(request: request, requiresToken: false, retry: retry)
        var deferred = DeferredRequest(id: 7, content: content, deferredAt: 1_800_000_000)
        deferred.attempts = 2
        deferred.serverErrors = 1
        deferred.lastCause = "it was down"
        deferred.isFailed = true
        #expect(DeferredRequest(sealed: deferred.sealed) == deferred)
        #expect(deferred.fileName == "00000000000000000007.request")
        for count in 0..<deferred.sealed.count {
            #expect(DeferredRequest(sealed: Array(deferred.sealed.prefix(count))) == nil)
        }
    }

    @Test func `A length beyond the end of a file reads nothing`() {
        var writer = ByteWriter()
        writer.write(UInt64.max)
        var reader = ByteReader(writer.bytes[...])
        #expect(reader.readBytes() == nil)
        var fields = ByteReader(writer.bytes[...])
        #expect(fields.readFields() == nil)
    }

    // MARK: - Recency

    @Test func `What was not used for longest goes first`() {
        var list = RecencyList<String>()
        for key in ["a", "b", "c"] { list.insert(key, bytes: 10) }
        list.touch("a")
        list.insert("b", bytes: 5)
        #expect(list.totalBytes == 25)
        #expect(list.removeLeastRecent() == "c")
        #expect(list.removeLeastRecent() == "a")
        list.remove("b")
        #expect(list.removeLeastRecent() == nil)
        #expect(list.totalBytes == 0)
        #expect(list.count == 0)
    }

    @Test func `A million uses of two keys keep their order and little else`() {
        var list = RecencyList<Int>()
        list.insert(1, bytes: 1)
        list.insert(2, bytes: 1)
        for turn in 0..<1_000_000 { list.touch(turn % 2 + 1) }
        list.touch(1)
        #expect(list.removeLeastRecent() == 2)
        #expect(list.removeLeastRecent() == 1)
    }
}
