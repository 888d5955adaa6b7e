// SPDX-License-Identifier: Apache-2.0

/// Reads requests of one connection, one after the other (RFC 9112).
struct RequestReader {
    /// What was received is no request that this server understands.
    struct Malformed: Error {
        let message: String
    }

    /// More than any test's request has; a client that runs wild fails instead of filling memory.
    private static let maximumHeadBytes = 4 << 20

    private let receive: () throws -> ArraySlice<UInt8>
    private let send: ([UInt8]) throws -> Void
    private let takesExpectations: Bool
    private var buffer: [UInt8] = []

    /// Reads with `receive`, which gives an empty slice at the end.
    ///
    /// - Parameters:
    ///   - takesExpectations: Whether to ask for the content of a request that waits for that
    ///     (`Expect`), or to answer with 417 and to read the next request.
    ///   - receive: Gives what comes next.
    ///   - send: Sends an answer to `Expect`.
    init(
        takesExpectations: Bool = true, receive: @escaping () throws -> ArraySlice<UInt8>,
        send: @escaping ([UInt8]) throws -> Void
    ) {
        self.takesExpectations = takesExpectations
        self.receive = receive
        self.send = send
    }

    /// The next request, complete; nil if the client closed before it began.
    ///
    /// - Throws: `Malformed`, or what receiving throws.
    mutating func next() throws -> LoopbackServer.Request? {
        guard let head = try head() else { return nil }
        var request = try Self.parse(head)
        if request["Expect"]?.lowercased() == "100-continue" {
            guard takesExpectations else {
                try send(AnswerText.head(417, ["Content-Length": "0"]))
                return try next()
            }
            try send(AnswerText.head(100, [:]))
        }
        if request["Transfer-Encoding"]?.lowercased() == "chunked" {
            request.body = try chunks()
        } else if let length = request["Content-Length"] {
            guard let length = Int(length) else { throw Malformed(message: "Content-Length") }
            request.body = try bytes(length)
        }
        return request
    }

    private mutating func head() throws -> String? {
        let mark = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            if let end = buffer.dropFirst(searched).firstRange(of: mark) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return head
            }
            searched = max(0, buffer.count - mark.count)
            guard buffer.count <= Self.maximumHeadBytes else { throw Malformed(message: "head") }
            let received = try receive()
            if received.isEmpty {
                if buffer.isEmpty { return nil }
                throw Malformed(message: "the request ends within its head")
            }
            buffer += received
        }
    }

    private static func parse(_ head: String) throws -> LoopbackServer.Request {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/") else {
            throw Malformed(message: "request line \(lines[0].debugDescription)")
        }
        var request = LoopbackServer.Request(
            method: String(parts[0]), target: String(parts[1]), version: String(parts[2]))
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else {
                throw Malformed(message: "header line \(line.debugDescription)")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            request.fields.lines.append(.init(String(line[..<colon]), String(value)))
        }
        return request
    }

    private mutating func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = try line().prefix { $0 != ";" }
            guard let size = Int(size, radix: 16) else { throw Malformed(message: "chunk size") }
            if size == 0 {
                while try !line().isEmpty {}  // Trailer fields are skipped.
                return body
            }
            body += try bytes(size)
            guard try line().isEmpty else { throw Malformed(message: "chunk end") }
        }
    }

    private mutating func line() throws -> String {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n".utf8)) {
                let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return line
            }
            try fill()
        }
    }

    private mutating func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private mutating func fill() throws {
        let received = try receive()
        guard !received.isEmpty else {
            throw Malformed(message: "the request ends within its content")
        }
        buffer += received
    }
}
