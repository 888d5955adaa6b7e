// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardStore
import PollardTestSupport
import Testing

/// `pollard history`, run on a store.
@Suite struct HistoryCommandTests {
    private let history: StoredHistory

    init() throws {
        history = try StoredHistory(
            endpoints: "  - {name: orders-archive, url: 'https://api.example.com/archive'}")
    }

    @Test func `The table has the newest change first`() async throws {
        let changes = try await history.store(
            [#"{"a":1}"#, #"{"a":2,"b":3}"#, #"{"a":2}"#], of: "orders")
        let digests = changes.map { $0.snapshot.digest.description.prefix(12) }
        let run = try await history.run("history", "orders")
        #expect(
            run
                == ProgramRun(
                    status: 0,
                    output: """
                        CHANGE  TIME                 AGE       WHAT                STATUS  \
                        DURATION  SNAPSHOT
                        3       2100-01-01 00:02:00  just now  1 removed           200     \
                        12.3 ms   \(digests[2])
                        2       2100-01-01 00:01:00  just now  1 added, 1 updated  200     \
                        12.3 ms   \(digests[1])
                        1       2100-01-01 00:00:00  just now  first snapshot      200     \
                        12.3 ms   \(digests[0])

                        """, errors: ""))
    }

    @Test func `The JSON form has event, digests, counts and the patch as it is`() async throws {
        let changes = try await history.store(
            [#"{"a":1}"#, "{\"a\":12345678901234567891,\"\u{202e}\":\"\\\"\"}"], of: "orders")
        let digests = changes.map(\.snapshot.digest)
        let run = try await history.run("history", "orders", "--json", "--limit", "1")
        #expect(
            run
                == ProgramRun(
                    status: 0,
                    output: #"""
                        {"change":2,"endpoint":"orders","kind":"changed","event":"orders-1",\#
                        "time":"2100-01-01T00:01:00.000Z","status":200,"duration_usec":12345,\#
                        "content_type":"application/json","snapshot":"\#(digests[1])",\#
                        "previous":"\#(digests[0])","added":1,"removed":0,"updated":1,"moved":0,\#
                        "lines":["~ /a 1 -> 12345678901234567891","+ /\\u202e \"\\\"\""],\#
                        "further_lines":0,"remarks":[],"patch":[\#
                        {"op":"replace","path":"/a","value":12345678901234567891},\#
                        {"op":"add","path":"/\u202e","value":"\""}]}

                        """#, errors: ""))
    }

    @Test func `Twenty changes are shown unless another number is asked for`() async throws {
        try await history.store((0..<230).map { "[\($0)]" }, of: "orders")
        func numbers(_ run: ProgramRun) -> [Int] {
            run.output.split(separator: "\n").dropFirst().compactMap { line in
                line.split(separator: " ").first.flatMap { Int($0) }
            }
        }
        #expect(try await numbers(history.run("history", "orders")) == (211...230).reversed())
        // More than are read at a time.
        #expect(
            try await numbers(history.run("history", "orders", "--limit", "210"))
                == (21...230).reversed())
        #expect(
            try await numbers(history.run("history", "orders", "--limit=1000"))
                == (1...230).reversed())
    }

    @Test func `It is read while a daemon has the store open`() async throws {
        try await history.store(["[1]"], of: "orders")
        let daemon = try history.open()
        let run = try await history.run("history", "orders")
        #expect(run.status == 0)
        #expect(run.output.contains("first snapshot"))
        try await daemon.close()
    }

    @Test func `An endpoint that is no longer configured has its history, by a start of its name`()
        async throws
    {
        try await history.store(["[1]"], of: "removed-long-ago")
        let run = try await history.run("history", "rem", "--json")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix(#"{"change":1,"endpoint":"removed-long-ago","#))
    }

    @Test func `An endpoint without a snapshot is said to have none`() async throws {
        try await history.store(["[1]"], of: "orders")
        #expect(
            try await history.run("history", "orders-archive")
                == ProgramRun(
                    status: 0, output: "",
                    errors: "pollard: no snapshot of 'orders-archive' is stored yet\n"))
    }

    @Test(arguments: [
        (
            "ordres",
            """
            pollard: no endpoint 'ordres' is configured or has a history
            hint: did you mean 'orders'?

            """
        ),
        (
            "xyz",
            """
            pollard: no endpoint 'xyz' is configured or has a history
            hint: 'pollard status' lists the endpoints

            """
        ),
        (
            "ord",
            """
            pollard: 'ord' begins the names of 2 endpoints
            hint: write more of one of them: orders, orders-archive

            """
        ),
    ])
    func `A name that is not known, or not one name, is told with the nearest`(
        name: String, errors: String
    ) async throws {
        try await history.store(["[1]"], of: "orders")
        #expect(
            try await history.run("history", name)
                == ProgramRun(status: 66, output: "", errors: errors))
    }

    @Test func `Without a store there is no history`() async throws {
        let run = try await history.run("history", "orders")
        #expect(
            run
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: no store at '\(history.directory.path)/pollard.db'
                        hint: the daemon creates it at its first start; check the path and that \
                        the daemon has run

                        """))
    }

    @Test func `A store that is none is not read`() async throws {
        try history.directory.write("no database, but a text", to: "pollard.db")
        #expect(try await history.run("history", "orders").status == 74)
    }

    @Test func `A configuration with errors is told`() async throws {
        try history.directory.write("endpoint: []\n", to: "pollard.yaml")
        let run = try await history.run("history", "orders")
        // There is no store either.
        #expect(run.status == 66)
        #expect(run.errors.hasPrefix("\(history.directory.path)/pollard.yaml:1:1: error: "))
    }

    @Test func `Output that is not taken is an error`() async throws {
        try await history.store(["[1]"], of: "orders")
        let run = try await ProgramRun(
            "/bin/sh",
            [
                "-c", "exec \"$@\" > /dev/full", "sh", ProjectFiles.executable("pollard"),
                "history", "orders", "--config", history.directory.path(of: "pollard.yaml"),
                "--state", history.directory.path,
            ])
        #expect(
            run
                == ProgramRun(
                    status: 74, output: "",
                    errors: "pollard: cannot write the output: no space left on device\n"))
    }
}
