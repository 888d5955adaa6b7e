// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

/// `pollard show`, run on a store.
@Suite struct ShowCommandTests {
    private let history: StoredHistory

    init() throws { history = try StoredHistory() }

    @Test func `A pipe gets the body as it was received`() async throws {
        let body = "{ \"a\" : 1.0,\r\n\"b\":\"\u{1b}\u{202e}\" }"
        let text = try await history.store(["x", body], of: "orders", contentType: "text/plain")
        #expect(
            try await history.run("show", "orders")
                == ProgramRun(status: 0, output: body, errors: ""))
        let sum = try await ProgramRun(
            "/bin/sh",
            [
                "-c", "\"$@\" | sha256sum", "sh", ProjectFiles.executable("pollard"), "show",
                "orders", "--config", history.directory.path(of: "pollard.yaml"), "--state",
                history.directory.path,
            ])
        #expect(sum.output == "\(text[1].snapshot.digest)  -\n")
    }

    @Test func `A snapshot is named by its number or the start of its digest`() async throws {
        let changes = try await history.store(["[1]", "[2]", "[1]", "[3]"], of: "orders")
        let digests = changes.map(\.snapshot.digest.description)
        for word in ["1", "3", digests[0], String(digests[0].prefix(4)), digests[0].uppercased()] {
            #expect(
                try await history.run("show", "orders", word)
                    == ProgramRun(status: 0, output: "[1]", errors: ""))
        }
        #expect(try await history.run("show", "orders", "2").output == "[2]")
        #expect(try await history.run("show", "orders").output == "[3]")
    }

    @Test(arguments: ["5", "0", "-", "12ab", "abc", "last", "99999999999999999999"])
    func `A snapshot that is not there is told with those that are`(word: String) async throws {
        try await history.store(["[1]", "[2]"], of: "orders")
        #expect(
            try await history.run("show", "orders", word)
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: there is no snapshot '\(word)' of 'orders'
                        hint: write a number or at least 4 digits of a digest; the last is 2, and \
                        'pollard history orders' lists them

                        """))
    }

    @Test func `A start of several digests is told with all of them`() async throws {
        // The first bodies of this form whose digests begin alike.
        var seen: [String: String] = [:]
        var bodies: [String] = []
        var number = 0
        while bodies.isEmpty {
            number += 1
            let body = "[\(number)]"
            let start = String(ContentDigest(of: Array(body.utf8)).description.prefix(4))
            if let other = seen[start] { bodies = [other, body] }
            seen[start] = body
        }
        let digests = try await history.store(bodies, of: "orders").map {
            $0.snapshot.digest.description
        }
        let start = digests[0].prefix(4)
        #expect(
            try await history.run("show", "orders", String(start))
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: '\(start)' begins the digests of several snapshots of 'orders'
                        hint: write more of it, or a number: 2 (\(digests[1].prefix(16))), \
                        1 (\(digests[0].prefix(16)))

                        """))
    }

    @Test func `An endpoint without a snapshot has nothing to show`() async throws {
        try await history.store(["[1]"], of: "other")
        #expect(
            try await history.run("show", "orders")
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: no snapshot of 'orders' is stored yet
                        hint: 'pollard status' says how its last poll went

                        """))
    }

    @Test func `A body that is no longer kept, or damaged, is told`() async throws {
        let changes = try await history.store(["[1]", "[2]"], of: "orders")
        do {
            let database = try Database(
                path: history.directory.path(of: "pollard.db"), mode: .readWrite,
                busyTimeout: .seconds(5))
            try database.execute("UPDATE body SET base = NULL, depth = 0, data = NULL WHERE id = 1")
            try database.execute(
                "UPDATE body SET base = NULL, depth = 0, data = x'00' WHERE id = 2")
        }
        #expect(
            try await history.run("show", "orders", "1")
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: the body of snapshot 1 of 'orders' is no longer kept
                        hint: see what it changed with 'pollard history orders'

                        """))
        #expect(
            try await history.run("show", "orders")
                == ProgramRun(
                    status: 74, output: "",
                    errors: """
                        pollard: the body \(changes[1].snapshot.digest) in the store \
                        '\(history.directory.path)/pollard.db' is damaged
                        hint: check the disk; bodies stored from now on do not depend on it

                        """))
    }

    @Test func `As JSON, a snapshot comes with what is known of it and with its exact numbers`()
        async throws
    {
        let changes = try await history.store(
            ["[1]", #"{ "price": 12345678901234567890.10 }"#], of: "orders")
        let digest = changes[1].snapshot.digest
        #expect(
            try await history.run("show", "orders", "--json")
                == ProgramRun(
                    status: 0,
                    output: """
                        {"change":2,"endpoint":"orders","time":"2100-01-01T00:01:00.000Z",\
                        "content_type":"application/json","snapshot":"\(digest)","bytes":36,\
                        "value":{"price":12345678901234567890.10}}

                        """, errors: ""))
        try await history.store(["a\u{1b}\"b\n"], of: "text", contentType: "text/plain")
        #expect(
            try await history.run("show", "text", "--json").output
                .contains(#""bytes":5,"value":"a\u001b\"b\n"}"#))
        try await history.store([[0, 255]], of: "image", contentType: "image/png")
        #expect(
            try await history.run("show", "image", "--json").output.hasSuffix(#""bytes":2}"# + "\n")
        )
    }

    @Test func `A terminal gets JSON in lines, with nothing that it would obey`() async throws {
        try await history.store(["{\"b\":[1,2.50],\"a\":\"\u{9b}31m\u{202e}\"}"], of: "orders")
        #expect(
            try await history.runOnTerminal("show", "orders") == """
                {
                  "b": [
                    1,
                    2.50
                  ],
                  "a": "\\u009b31m\\u202e"
                }

                """)
    }

    @Test func `A terminal gets text with a newline at its end, and bytes as a number`()
        async throws
    {
        try await history.store(["a\u{1b}[31m\nb"], of: "text", contentType: "text/plain")
        #expect(try await history.runOnTerminal("show", "text") == "a\\u001b[31m\nb\n")
        try await history.store([[0, 255, 10]], of: "image", contentType: "image/png")
        #expect(
            try await history.runOnTerminal("show", "image") == "(3 bytes that are no text)\n")
    }
}
