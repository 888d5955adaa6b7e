// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// `pollard poll --json`, run on a server and a store.
@Suite struct PollCommandTests {
    /// The members of a report that are the same in each run, in their order.
    private func members(_ line: some StringProtocol) throws -> [String] {
        let varying = [
            "duration_usec", "address", "name_lookup_usec", "connect_usec", "first_byte_usec",
            "url",
        ]
        return try JSONValue(parsing: String(line)).members.filter { !varying.contains($0.key) }
            .map { "\($0.key) \($0.value.text())" }
    }

    @Test func `An answer is reported with what differs and its value`() async throws {
        let server = try LoopbackServer { _ in
            .json(#"{"price":12345678901234567891,"echo":"hunter22","n":"\u202e"}"#)
        }
        defer { server.stop() }
        let history = try StoredHistory(
            endpoints: """
                  - name: shop
                    url: \(server.url("/shop?key=hunter22"))
                """, hasOrders: false)
        try await history.store([#"{"price":1,"echo":"hunter22","n":1}"#], of: "shop")
        let run = try await history.run("poll", "sh", "--json")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(run.output.contains(#""url":"http://\#(server.authority)/shop?key=[secret]""#))
        let members = try members(run.output)
        #expect(
            members == [
                #"endpoint "shop""#, #"outcome "changed""#, #"method "GET""#, "status 200",
                "attempts 1", #"content_type "application/json""#, "bytes 61",
                #"http_version "HTTP/1.1""#, #"snapshot_time "2100-01-01T00:00:00.000Z""#,
                "added 0", "removed 0", "updated 2", "moved 0",
                #"lines ["~ /price 1 -> 12345678901234567891","~ /n 1 -> \"\\u202e\""]"#,
                "further_lines 0", "remarks []",
                #"patch [{"op":"replace","path":"/price","value":12345678901234567891},"#
                    + #"{"op":"replace","path":"/n","value":"\u202e"}]"#,
                #"value {"price":12345678901234567891,"echo":"[secret]","n":"\u202e"}"#,
            ])
    }

    @Test func `A failure is an object too, and one of text has a string as its value`()
        async throws
    {
        let server = try LoopbackServer { request in
            request.target == "/good"
                ? [.respond(200, ["Content-Type": "text/plain"], body: Array("a\n\"\u{1b}".utf8))]
                : .status(404)
        }
        defer { server.stop() }
        let history = try StoredHistory(
            endpoints: """
                  - {name: bad, url: '\(server.url("/bad"))'}
                  - {name: good, url: '\(server.url("/good"))'}
                """, hasOrders: false)
        let run = try await history.run("poll", "good", "bad", "--json")
        #expect(run.status == 1 && run.errors.isEmpty, "\(run)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            try members(lines[0]) == [
                #"endpoint "bad""#, #"outcome "failed""#, #"method "GET""#,
                #"failure "status""#, #"phase "answer""#,
                #"error "status 404 Not Found""#, "status 404",
                "attempts 1",
            ])
        #expect(
            try members(lines[1]) == [
                #"endpoint "good""#, #"outcome "not-compared""#, #"method "GET""#, "status 200",
                "attempts 1", #"content_type "text/plain""#, "bytes 4",
                #"http_version "HTTP/1.1""#,
                #"not_compared "no store at '\#(history.directory.path)/pollard.db'""#,
                #"value "a\n\"\u001b""#,
            ])
    }
}
