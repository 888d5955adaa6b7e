// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardStore
import PollardSystemd
import PollardTestSupport
import Testing

/// `pollard status`, run on a store.
@Suite struct StatusCommandTests {
    private let history: StoredHistory

    init() throws { history = try StoredHistory() }

    @Test
    func `A configuration with errors does not hide what the daemon stored under the old one`()
        async throws
    {
        try await history.store(["[1]", "[2]"], of: "orders")
        try history.directory.write(
            "endpoints:\n  - {name: orders, intervall: 1s}\n  - {name: orders}\n",
            to: "pollard.yaml")
        let path = history.directory.path(of: "pollard.yaml")
        let remarks = """
            \(path):2:5: error: an endpoint needs 'url', or 'api' and 'path'
            note: 'pollard check' lists 3 more errors
            note: shown is what the store knows, without the configuration

            """
        #expect(
            try await history.run("status", "ord")
                == ProgramRun(
                    status: 0,
                    output: """
                        ENDPOINT  STATE  LAST POLL  LAST CHANGE  P50  P95  NEXT POLL  ANSWER
                        orders    ok     just now   just now     -    -    -          200

                        """, errors: remarks))
        #expect(
            try await history.run("show", "orders")
                == ProgramRun(status: 0, output: "[2]", errors: remarks))
        #expect(try await history.run("history", "orders", "--json").errors == remarks)
        #expect(try await history.run("diff", "orders", "--json").errors == remarks)
    }

    @Test func `Old polls are not taken for those of a daemon that runs`() async throws {
        let lastYear = Timestamp.now().advanced(by: .seconds(-365 * 86_400))
        try await history.store([[0x31]], of: "orders", contentType: nil, from: lastYear)
        let stopped = try await history.run("status")
        #expect(stopped.errors == "note: no daemon runs on this store: these were its last polls\n")
        #expect(stopped.status == 0 && stopped.output.contains("365d ago"), "\(stopped.output)")

        let daemon = try history.open()
        #expect(
            try await history.run("status", "--json").errors == """
                note: the store has no recent poll of 1 endpoint: \
                'journalctl -u pollard -p warning' says why

                """)
        try await daemon.close()
    }
}
