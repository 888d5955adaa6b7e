// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Streams of compressed content: however much it becomes, pieces are of bounded size.
@Suite(.timeLimit(.minutes(2))) struct CompressedStreamTests {
    /// What a piece of 64 KiB may be longer by: one output of a decoder.
    private static let maximumPiece = 96 << 10
    private static let zeros = 64 << 20

    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    private func request(_ server: LoopbackServer) -> HTTPRequest {
        var request = HTTPRequest(url: server.url())
        request.maximumBodyBytes = .max
        request.timeouts.total = .seconds(60)
        return request
    }

    /// zstd (RFC 8878) by hand: a block of 128 KiB is four bytes.
    private static var zstd: [UInt8] {
        let blocks = zeros / (128 << 10)
        var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x50]
        for block in 1...blocks {
            let header = (128 << 10) << 3 | 1 << 1 | (block == blocks ? 1 : 0)
            frame += [
                UInt8(header & 0xff), UInt8(header >> 8 & 0xff), UInt8(header >> 16), 0,
            ]
        }
        return frame
    }

    private static func bomb(_ coding: String) async throws -> [UInt8] {
        let zeros = "head -c \(zeros) /dev/zero"
        let command =
            switch coding {
            case "gzip": "\(zeros) | gzip -1"
            case "gzip, gzip": "\(zeros) | gzip -1 | gzip -1"
            case "deflate":
                "\(zeros) | python3 -c "
                    + "'import sys, zlib; i = sys.stdin.buffer; "
                    + "sys.stdout.buffer.write(zlib.compress(i.read()))'"
            case "br":
                "\(zeros) | \(ProjectFiles.root)/.build/httpbin/bin/python -c "
                    + "'import sys, brotlicffi; i = sys.stdin.buffer; "
                    + "sys.stdout.buffer.write(brotlicffi.compress(i.read(), quality=3))'"
            default: "exit 1"
            }
        let result = try await Subprocess.run("/bin/sh", ["-c", command])
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result.output
    }

    @Test(arguments: ["gzip", "gzip, gzip", "deflate", "br", "zstd"])
    func `Little that becomes much comes in small pieces`(_ coding: String) async throws {
        let bytes = coding == "zstd" ? Self.zstd : try await Self.bomb(coding)
        #expect(bytes.count < 1 << 20)
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": coding], body: bytes)]
        }
        let stream = try await transport.stream(request(server))
        var (count, largest) = (0, 0)
        for try await piece in stream {
            #expect(piece.isAll(0))
            count += piece.count
            largest = max(largest, piece.count)
        }
        #expect(count == Self.zeros)
        #expect(largest <= Self.maximumPiece)
    }

    @Test(arguments: ["gzip", "zstd"])
    func `The limit holds for what it becomes`(_ coding: String) async throws {
        let bytes = coding == "zstd" ? Self.zstd : try await Self.bomb(coding)
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": coding], body: bytes)]
        }
        var request = request(server)
        request.maximumBodyBytes = 1 << 20
        let stream = try await transport.stream(request)
        var count = 0
        let error = await #expect(throws: NetworkError.self) {
            for try await piece in stream { count += piece.count }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(count <= 1 << 20)
    }

    @Test(arguments: ContentCodingTests.codings)
    func `Every coding is taken off, and its early end noticed`(
        _ coding: ContentCodingTests.Coding
    ) async throws {
        let server = try LoopbackServer { request in
            [
                .respond(
                    200, ["Content-Encoding": coding.testDescription],
                    body: Array(coding.bytes.dropLast(request.number == 1 ? 0 : 3)))
            ]
        }
        let whole = try await transport.stream(request(server))
        #expect(try await whole.reduce([]) { $0 + $1 } == Array("hello".utf8))
        let cut = try await transport.stream(request(server))
        let error = await #expect(throws: NetworkError.self) { for try await _ in cut {} }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.description == "\(server.authority) sent compressed content that ends early")
    }

    @Test func `An unknown coding, and content that is not in its coding, are errors`() async throws
    {
        let server = try LoopbackServer { request in
            let coding = request.number == 1 ? "rot13" : "gzip"
            return [.respond(200, ["Content-Encoding": coding], body: Array("hello".utf8))]
        }
        let unknown = await #expect(throws: NetworkError.self) {
            _ = try await transport.stream(request(server))
        }
        #expect(
            unknown?.description
                == "\(server.authority) sent content in the unknown coding 'rot13'")
        let stream = try await transport.stream(request(server))
        let malformed = await #expect(throws: NetworkError.self) {
            for try await _ in stream {}
        }
        #expect(
            malformed?.description
                == "\(server.authority) sent content that can't be decompressed")
    }
}
