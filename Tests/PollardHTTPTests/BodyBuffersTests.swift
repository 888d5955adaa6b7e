// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

@Suite struct BodyBuffersTests {
    @Test func `A copy is not changed by the next user of the buffer`() {
        let buffers = BodyBuffers()
        let copy = buffers.copyAndGiveBack([1, 2, 3])
        var next = buffers.take()
        #expect(next.isEmpty)
        #expect(next.capacity >= 3)
        next += [9, 9, 9]
        #expect(copy == [1, 2, 3])
        #expect(buffers.take().capacity == 0)
    }

    @Test func `Only so much is kept`() {
        let buffers = BodyBuffers()
        let large = [UInt8](repeating: 0, count: BodyBuffers.maximumKept - 100)
        _ = buffers.copyAndGiveBack(large)
        _ = buffers.copyAndGiveBack([UInt8](repeating: 0, count: 1000))
        #expect(buffers.take().capacity >= large.count)
        #expect(buffers.take().capacity == 0)
    }

    @Test(arguments: [true, false])
    func `Contents of every size come whole, again and again`(_ isChunked: Bool) async throws {
        let (least, most) = (BodyBuffers.minimumSize, BodyBuffers.maximumSize)
        let sizes = [0, 1, least - 1, least, 20_000, most, most + 1, 1_000_000]
        let server = try LoopbackServer { request in
            let size = sizes[(request.number - 1) % sizes.count]
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ request.number) }
            guard isChunked else { return [.respond(200, body: body)] }
            return [
                .head(200, ["Transfer-Encoding": "chunked"]),
                .text(size == 0 ? "" : "\(String(size, radix: 16))\r\n"), .bytes(body),
                .text(size == 0 ? "0\r\n\r\n" : "\r\n0\r\n\r\n"),
            ]
        }
        let transport = try CurlTransport()
        var responses: [HTTPResponse] = []
        for _ in 0..<3 * sizes.count {
            responses.append(try await transport.send(HTTPRequest(url: server.url())))
        }
        for (index, response) in responses.enumerated() {
            let size = sizes[index % sizes.count]
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index &+ 1) }
            #expect(response.body == body)
        }
    }
}
