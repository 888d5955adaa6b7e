// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// `pollard diff`, run on a store.
@Suite struct DiffCommandTests {
    private static let bodies = [
        #"{"time":1,"items":[{"id":7,"price":10},{"id":8,"price":20}]}"#,
        #"{"time":2,"items":[{"id":8,"price":20},{"id":7,"price":12.50}]}"#,
        #"{"time":3,"items":[{"id":8,"price":20},{"id":9,"price":1}]}"#,
    ]

    private let history: StoredHistory

    init() throws { history = try StoredHistory() }

    private func expect(
        _ arguments: String..., output: String, errors: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await history.run(arguments)
        #expect(
            run == ProgramRun(status: 0, output: output, errors: errors),
            sourceLocation: sourceLocation)
    }

    @Test func `The last change is told under the rules of today`() async throws {
        try await history.store(Self.bodies, of: "orders")
        try await expect(
            "diff", "orders",
            output: """
                orders: changed from 2 to 3: 1 added, 1 removed
                - /items/1 {"id":7,"price":12.50}
                + /items/1 {"id":9,"price":1}

                """)
    }

    @Test func `One snapshot is compared with the last, two with each other in their order`()
        async throws
    {
        let changes = try await history.store(Self.bodies, of: "orders")
        let first = String(changes[0].snapshot.digest.description.prefix(10))
        let fromFirst = """
            orders: changed from 1 to 3: 1 added, 1 removed
            - /items/0 {"id":7,"price":10}
            + /items/1 {"id":9,"price":1}

            """
        try await expect("diff", "orders", "1", output: fromFirst)
        try await expect("diff", "orders", first, "3", output: fromFirst)
        try await expect(
            "diff", "orders", "2", first,
            output: """
                orders: changed from 2 to 1: 1 updated, 1 moved
                > /items/0 from /items/1 (id 7)
                ~ /items/0/price 12.50 -> 10 (id 7)

                """)
    }

    @Test func `As JSON, a difference has its counts, its lines and its patch`() async throws {
        let changes = try await history.store(Self.bodies, of: "orders")
        let digests = changes.map(\.snapshot.digest)
        try await expect(
            "diff", "orders", "--json",
            output: #"""
                {"endpoint":"orders","from":2,"to":3,"from_time":"2100-01-01T00:01:00.000Z",\#
                "to_time":"2100-01-01T00:02:00.000Z","previous":"\#(digests[1])",\#
                "snapshot":"\#(digests[2])","added":1,"removed":1,"updated":0,"moved":0,\#
                "lines":["- /items/1 {\"id\":7,\"price\":12.50}",\#
                "+ /items/1 {\"id\":9,\"price\":1}"],"further_lines":0,"remarks":[],\#
                "patch":[{"op":"remove","path":"/items/1"},\#
                {"op":"add","path":"/items/1","value":{"id":9,"price":1}}]}

                """#)
        let same = try await history.run("diff", "orders", "2", "2", "--json")
        #expect(
            same.output.contains(
                #""added":0,"removed":0,"updated":0,"moved":0,"lines":[],"further_lines":0"#))
        #expect(same.status == 0 && same.errors.isEmpty && !same.output.contains("patch"))
    }

    @Test func `All lines are told and the patch is whole, whatever an event may hold`()
        async throws
    {
        let old = "[" + (0..<5000).map { "\"item \($0)\"" }.joined(separator: ",") + "]"
        let new = "[" + (0..<5000).map { "\"thing \($0)\"" }.joined(separator: ",") + "]"
        let changes = try await history.store([old, new], of: "orders")
        #expect(changes[1].summary.isPatchTruncated)
        let text = try await history.run("diff", "orders")
        let lines = text.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("orders: changed from 1 to 2: "))
        #expect(lines.count { $0.hasPrefix("+") || $0.hasPrefix("~") } == 5000)
        #expect(!lines.contains { $0.hasPrefix("...") })

        let patch = try await history.run("diff", "orders", "--format", "patch")
        try history.directory.write(old, to: "old.json")
        try history.directory.write(patch.output, to: "patch.json")
        let result = try await ProgramRun(
            "/usr/bin/python3",
            [
                "-c",
                """
                import json, jsonpatch
                old, patch = (json.load(open(name)) for name in ("old.json", "patch.json"))
                print(json.dumps(jsonpatch.apply_patch(old, patch), separators=(",", ":")), end="")
                """,
            ], directory: history.directory.path)
        #expect(result == ProgramRun(status: 0, output: new, errors: ""))
    }

    @Test func `The patch is JSON on one line`() async throws {
        try await history.store(Self.bodies, of: "orders")
        try await expect(
            "diff", "orders", "--format=patch",
            output: #"""
                [{"op":"remove","path":"/items/1"},\#
                {"op":"add","path":"/items/1","value":{"id":9,"price":1}}]

                """#)
    }

    @Test func `The unified form shows lines with those around, without rules`() async throws {
        try await history.store([#"{"time":1,"a":[1,2]}"#, #"{"time":2,"a":[1,3]}"#], of: "orders")
        try await expect(
            "diff", "orders", "--format", "unified",
            output: """
                --- orders/1\t2100-01-01T00:00:00.000Z
                +++ orders/2\t2100-01-01T00:01:00.000Z
                @@ -1,7 +1,7 @@
                 {
                -  "time": 1,
                +  "time": 2,
                   "a": [
                     1,
                -    2
                +    3
                   ]
                 }

                """)
    }

    @Test func `Lines of text keep their carriage returns`() async throws {
        try await history.store(["a\r\nb\r\n", "a\r\nc"], of: "text", contentType: "text/plain")
        try await expect(
            "diff", "text", "--format", "unified",
            output: "--- text/1\t2100-01-01T00:00:00.000Z\n+++ text/2\t2100-01-01T00:01:00.000Z\n"
                + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n\\ No newline at end of file\n")
        try await expect(
            "diff", "text",
            output: "text: changed from 1 to 2: 2 added, 1 removed\n- 2: b\\r\n+ 2: c\n"
                + "+ 2: \\ no newline at end\n")
    }

    @Test func `Bytes differ by size and digest`() async throws {
        let digests = try await history.store(
            [[0, 255], [0, 255, 1]], of: "image", contentType: "image/png"
        ).map(\.snapshot.digest)
        try await expect(
            "diff", "image",
            output: """
                image: changed from 1 to 2: 1 updated
                ~ 2 -> 3 bytes
                ~ SHA-256 \(digests[0]) -> \(digests[1])

                """)
        try await expect(
            "diff", "image", "--format", "unified",
            output: """
                image/1 and image/2 differ: 2 bytes, SHA-256 \(digests[0]) -> 3 bytes, SHA-256 \
                \(digests[1])

                """)
    }

    @Test func `Snapshots that do not differ are said not to`() async throws {
        try await history.store(
            [#"{"time":1,"a":1}"#, #"{"a":1.0,"time":2}"#, #"{"time":1,"a":1}"#], of: "orders")
        func remark(_ numbers: String) -> String {
            "pollard: snapshots \(numbers) of 'orders' do not differ\n"
        }
        try await expect("diff", "orders", output: "", errors: remark("2 and 3"))
        try await expect(
            "diff", "orders", "--format", "patch", output: "[]\n", errors: remark("2 and 3"))
        try await expect(
            "diff", "orders", "1", "--format", "unified", output: "", errors: remark("1 and 3"))
    }

    @Test func `One snapshot alone, or no JSON, gives no difference`() async throws {
        try await history.store(["[1]"], of: "orders")
        #expect(
            try await history.run("diff", "orders")
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: there is only one snapshot of 'orders'
                        hint: 'pollard show orders' prints it

                        """))
        try await history.store(["a", "b"], of: "text", contentType: "text/plain")
        #expect(
            try await history.run("diff", "text", "--format", "patch")
                == ProgramRun(
                    status: 66, output: "",
                    errors: """
                        pollard: there is no patch from 2 to 3 of 'text': they are not both JSON
                        hint: leave out '--format patch'

                        """))
    }

    @Test func `A terminal gets colours, and nothing else that it would obey`() async throws {
        try await history.store(["a\n", "\u{9b}31m\n"], of: "text", contentType: "text/plain")
        let unified = try await history.runOnTerminal("diff", "text", "--format", "unified")
        #expect(
            unified == """
                \u{1b}[31m--- text/1\t2100-01-01T00:00:00.000Z\u{1b}[0m
                \u{1b}[32m+++ text/2\t2100-01-01T00:01:00.000Z\u{1b}[0m
                \u{1b}[36m@@ -1 +1 @@\u{1b}[0m
                \u{1b}[31m-a\u{1b}[0m
                \u{1b}[32m+\\u009b31m\u{1b}[0m

                """)
        let plain = try await history.runOnTerminal(
            "diff", "text", environment: ["NO_COLOR": "1"])
        #expect(
            plain == "text: changed from 1 to 2: 1 added, 1 removed\n- 1: a\n+ 1: \\u009b31m\n")
    }
}
