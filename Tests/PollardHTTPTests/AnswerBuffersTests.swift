// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

@Suite struct AnswerBuffersTests {
    private func copy(
        _ body: [UInt8], _ fields: HTTPFields = [:], in buffers: AnswerBuffers
    ) -> HTTPResponse {
        var response = HTTPResponse(status: 200)
        buffers.copyAndGiveBack(.init(body: body, fields: fields), to: &response)
        return response
    }

    @Test func `A copy is not changed by the next user of the buffers`() {
        let buffers = AnswerBuffers()
        let copy = copy([1, 2, 3], ["A": "b"], in: buffers)
        var body = buffers.takeBody()
        #expect(body.isEmpty)
        #expect(body.capacity >= 3)
        body += [9, 9, 9]
        var fields = buffers.takeFields()
        #expect(fields == [:])
        fields.append("C", "d")
        #expect(copy.body == [1, 2, 3])
        #expect(copy.fields == ["A": "b"])
        #expect(buffers.takeBody().capacity == 0)
        #expect(buffers.takeFields() == [:])
    }

    @Test func `A small content kept the large buffer that it came in`() async throws {
        let server = try LoopbackServer { request in
            let size = request.number == 1 ? 100_000 : 2
            return [
                .head(200, ["Transfer-Encoding": "chunked"]),
                .text("\(String(size, radix: 16))\r\n"),
                .bytes([UInt8](repeating: 0x61, count: size)), .text("\r\n0\r\n\r\n"),
            ]
        }
        let transport = try CurlTransport()
        for size in [100_000, 2] {
            let response = try await transport.send(HTTPRequest(url: server.url()))
            #expect(response.body.count == size)
            #expect(response.body.capacity < size + 64)
        }
    }

    @Test func `Only so much is kept`() {
        let buffers = AnswerBuffers()
        let large = [UInt8](repeating: 0, count: AnswerBuffers.maximumKept - 100)
        _ = copy(large, in: buffers)
        _ = copy([UInt8](repeating: 0, count: 1000), in: buffers)
        #expect(buffers.takeBody().capacity >= large.count)
        #expect(buffers.takeBody().capacity == 0)
    }

    @Test(arguments: [true, false])
    func `Contents of every size come whole, again and again`(_ isChunked: Bool) async throws {
        let (least, most) = (AnswerBuffers.minimumSize, AnswerBuffers.maximumSize)
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
