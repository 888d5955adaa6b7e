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

    /// A zstd frame of a block that repeats one byte (RFC 8878, 3.1.1).
    private static func zstd(repeating byte: UInt8, count: Int) -> [UInt8] {
        let header = (count << 3) | 3
        return [
            0x28, 0xb5, 0x2f, 0xfd, 0x60, UInt8((count - 256) & 0xff), UInt8((count - 256) >> 8),
        ]
            + [UInt8(header & 0xff), UInt8(header >> 8 & 0xff), UInt8(header >> 16), byte]
    }

    /// Decoders put out 32 KiB at a time.
    @Test(arguments: [32_767, 32_768, 32_769, 65_536])
    func `Content that fills a decoder's last piece is complete`(_ count: Int) async throws {
        let gzip = try await Subprocess.run(
            "/bin/sh", ["-c", "head -c \(count) /dev/zero | gzip"]
        ).output
        let server = try LoopbackServer { request in
            request.path == "/gzip"
                ? [.respond(200, ["Content-Encoding": "gzip"], body: gzip)]
                : [
                    .respond(
                        200, ["Content-Encoding": "zstd"],
                        body: Self.zstd(repeating: 0, count: count))
                ]
        }
        for path in ["/gzip", "/zstd"] {
            let response = try await transport.send(HTTPRequest(url: server.url(path)))
            #expect(response.body == [UInt8](repeating: 0, count: count))
        }
    }

    /// Whether `content` begins a member or is ignored must not depend on how it is cut.
    @Test(
        arguments: [
            ([], "hello"), (Self.codings[0].bytes, "hellohello"), ([0x0a, 0x1f, 0x8b], "hello"),
            ([0, 0, 0x1f, 0x1f], "hello"),
        ] as [([UInt8], String)])
    func `What follows a gzip member is another one or ignored, byte by byte too`(
        _ trailer: [UInt8], _ text: String
    ) async throws {
        let bytes = Self.codings[0].bytes + trailer
        let server = try LoopbackServer { request in
            let pieces: [[UInt8]] = request.path == "/whole" ? [bytes] : bytes.map { [$0] }
            var reply: LoopbackServer.Reply = [
                .head(200, ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"])
            ]
            for piece in pieces {
                reply.steps += [
                    .text("\(String(piece.count, radix: 16))\r\n"), .bytes(piece), .text("\r\n"),
                ]
            }
            reply.steps.append(.text("0\r\n\r\n"))
            return reply
        }
        for path in ["/whole", "/cut"] {
            let response = try await transport.send(HTTPRequest(url: server.url(path)))
            #expect(String(decoding: response.body, as: UTF8.self) == text)
        }
    }

    @Test(arguments: codings)
    func `The limit is for the decompressed content`(_ coding: Coding) async throws {
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": coding.testDescription], body: coding.bytes)]
        }
        var request = HTTPRequest(url: server.url())
        request.maximumBodyBytes = 5
        #expect(try await transport.send(request).body == Array("hello".utf8))
        request.maximumBodyBytes = 4
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .bodyTooLarge)
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
            error?.description == "\(server.authority) sent more than 1000000 bytes of content; "
                + "raise 'maximumBodyBytes' if that is to be expected")
    }
}
