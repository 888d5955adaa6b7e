// SPDX-License-Identifier: Apache-2.0

extension LoopbackServer {
    /// A request as it was received.
    package struct Request: Sendable, Hashable {
        /// The place among all requests of the server, counted from 1.
        package var number = 0
        /// The place of its connection among all connections of the server, counted from 1.
        package var connection = 0
        /// The method as sent.
        package var method: String
        /// The request target as sent: path and query.
        package var target: String
        /// The protocol version, as in `HTTP/1.1`.
        package var version: String
        /// Header lines in order, names as sent.
        package var fields = Fields()
        /// The content, without the chunked coding.
        package var body: [UInt8] = []

        /// The first value under `name`, whatever its case.
        package subscript(name: String) -> String? { fields[name] }

        /// The content as text.
        package var text: String { String(decoding: body, as: UTF8.self) }

        /// The target before the question mark.
        package var path: String { String(target.prefix { $0 != "?" }) }
    }
}
