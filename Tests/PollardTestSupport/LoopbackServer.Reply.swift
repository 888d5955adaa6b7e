// SPDX-License-Identifier: Apache-2.0

extension LoopbackServer {
    /// What the server does once it has a request: steps, done in order.
    ///
    /// Written as a list, or as one of the ready-made replies:
    ///
    /// ```swift
    /// [.head(200, ["Content-Length": "10"]), .text("12345"), .wait(gate), .text("67890")]
    /// ```
    package struct Reply: Sendable, ExpressibleByArrayLiteral {
        /// One thing that a server does, or does wrong.
        package enum Step: Sendable {
            /// A whole answer with the Content-Length that is right, unless `fields` has it or
            /// Transfer-Encoding; to HEAD, and with 204 and 304, without the content.
            case respond(Int, Fields = [:], body: [UInt8] = [])
            /// A status line and these fields, nothing added, and the empty line.
            case head(Int, Fields = [:])
            /// These bytes, verbatim.
            case bytes([UInt8])
            /// Parts of these bytes, `size` at a time, with a gap before each but the first.
            case drip([UInt8], size: Int = 1, gap: Duration)
            /// These bytes over and over, until the client closes or the server stops.
            case endless([UInt8])
            /// Nothing until the gate is open; ends the connection if the client does first.
            case wait(Gate)
            /// Opens a gate: tells the test that the server came so far.
            case open(Gate)
            /// Nothing, until the client closes or the server stops.
            case hang
            /// Closes the connection in good order (FIN).
            case close
            /// Breaks the connection (RST).
            case reset

            /// This text as UTF-8, verbatim.
            package static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }

            /// One chunk of the chunked coding (RFC 9112, 7.1); an empty one is the last.
            package static func chunk(_ text: String) -> Step {
                .text("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
            }
        }

        /// What is done, in order.
        package var steps: [Step]

        package init(_ steps: [Step]) { self.steps = steps }

        package init(arrayLiteral elements: Step...) { steps = elements }
    }
}

// MARK: - Ready-made replies

extension LoopbackServer.Reply {
    /// An answer without content.
    package static func status(_ status: Int, _ fields: LoopbackServer.Fields = [:]) -> Self {
        [.respond(status, fields)]
    }

    /// A JSON document; `fields` come after Content-Type.
    package static func json(
        _ text: String, status: Int = 200, _ fields: LoopbackServer.Fields = [:]
    ) -> Self {
        content(text, type: "application/json", status: status, fields)
    }

    /// A plain text; `fields` come after Content-Type.
    package static func text(
        _ text: String, status: Int = 200, _ fields: LoopbackServer.Fields = [:]
    ) -> Self {
        content(text, type: "text/plain; charset=utf-8", status: status, fields)
    }

    private static func content(
        _ text: String, type: String, status: Int, _ fields: LoopbackServer.Fields
    ) -> Self {
        let type: LoopbackServer.Fields = ["Content-Type": type]
        let fields = type.followed(by: fields)
        return [.respond(status, fields, body: Array(text.utf8))]
    }

    /// A redirect, with a short content that a client must skip.
    package static func redirect(to location: String, status: Int = 302) -> Self {
        [.respond(status, ["Location": location], body: Array("moved\n".utf8))]
    }

    /// The chunked coding, one chunk for each part.
    package static func chunked(_ parts: [String], _ fields: LoopbackServer.Fields = [:]) -> Self {
        let coding: LoopbackServer.Fields = ["Transfer-Encoding": "chunked"]
        let head = Step.head(200, coding.followed(by: fields))
        return Self([head] + parts.map { .chunk($0) } + [.chunk("")])
    }

    /// A content that ends before the length that was announced, and with it the connection.
    package static func cut(_ text: String, announced: Int) -> Self {
        [.head(200, ["Content-Length": String(announced)]), .text(text), .close]
    }

    /// A content without end, chunked.
    package static var endless: Self {
        let line = String(repeating: "x", count: 1 << 10)
        let chunk = "\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n"
        return [.head(200, ["Transfer-Encoding": "chunked"]), .endless(Array(chunk.utf8))]
    }

    /// No answer at all.
    package static var hang: Self { [.hang] }

    /// The connection is closed without an answer.
    package static var close: Self { [.close] }

    /// The connection is reset without an answer.
    package static var reset: Self { [.reset] }
}
