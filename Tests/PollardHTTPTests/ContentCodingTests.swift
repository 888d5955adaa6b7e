// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Compressed content (RFC 9110, 8.4.1): decompressed, bounded, and never cut unnoticed.
@Suite struct ContentCodingTests {
    /// `hello` in each coding.
    struct Coding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
    }

    static let codings = [
        Coding(
            testDescription: "gzip",
            bytes: [
                0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c,
                0x6f, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
            ]),
        Coding(
            testDescription: "deflate",
            bytes: [
                0x78, 1, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 6, 0x2c, 2, 0x15,
            ]),
        Coding(testDescription: "br", bytes: [0x0b, 2, 0x80, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 3]),
        Coding(
            testDescription: "zstd",
            bytes: [
                0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
            ]),
    ]

    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    @Test(arguments: codings)
    func `Content is decompressed`(_ coding: Coding) async throws {
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": coding.testDescription], body: coding.bytes)]
        }
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(String(decoding: response.body, as: UTF8.self) == "hello")
        #expect(response.fields["Content-Encoding"] == coding.testDescription)
    }

    @Test(arguments: codings)
    func `Compressed content that ends early is an error`(_ coding: Coding) async throws {
        let server = try LoopbackServer { _ in
            [
                .respond(
                    200, ["Content-Encoding": coding.testDescription],
                    body: Array(coding.bytes.dropLast(3)))
            ]
        }
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: server.url()))
        }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.description == "\(server.authority) sent compressed content that ends early")
    }

    @Test func `A compression bomb is stopped at the limit`() async throws {
        let bomb = try await Subprocess.run(
            "/bin/sh", ["-c", "head -c 100000000 /dev/zero | gzip -1"]
        ).output
        #expect(bomb.count < 1_000_000)
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": "gzip"], body: bomb)]
        }
        var request = HTTPRequest(url: server.url())
        request.maximumBodyBytes = 1_000_000
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .bodyTooLarge)
        #expect(
            error?.description == "\(server.authority) sent more than 1000000 bytes of content")
    }
}
