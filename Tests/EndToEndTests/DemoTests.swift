// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// What a newcomer sees first: the configuration and the service of `script/run`.
@Suite struct DemoTests {
    /// How many times as fast as for people: what takes them 25 seconds takes the test 8.
    private static let speed = 3

    @Test func `The demo shows an added item, a changed price, a failure and a recovery`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let run = try await ProgramRun(
            "/bin/bash", ["-euo", "pipefail", "-c", Self.script],
            environment: [
                "PATH": "/usr/bin:/bin", "DIRECTORY": directory.path,
                "POLLARD": try ProjectFiles.executable("pollard"), "SPEED": "\(Self.speed)",
            ], directory: ProjectFiles.root)
        #expect(run.status == 0, "\(run.errors)")

        let entries = try JournalEntry.entries(in: run.output)
        let messages = entries.compactMap { $0["MESSAGE"] }
        #expect(messages.contains { $0.hasPrefix("shop-products: changed: 1 added\n+ /3 {") })
        #expect(
            messages.contains("shop-products: changed: 1 updated\n~ /1/price 129.5 -> 99 (id 2)"))
        #expect(messages.contains("shop-status: changed: 1 updated\n~ /orders 100 -> 101"))
        // On a busy machine polls may overrun, too.
        let kinds: Set = ["first-snapshot", "failing", "recovered"]
        let flaky = entries.filter { $0["POLLARD_ENDPOINT"] == "shop-flaky" }
            .compactMap { $0["POLLARD_KIND"] }.filter(kinds.contains)
        #expect(flaky.prefix(3) == ["first-snapshot", "failing", "recovered"])
        #expect(!messages.contains { $0.contains("/time") })
    }

    /// Runs the demo until the recovery; leaves its lines of JSON on standard output.
    private static let script = """
        trap 'kill -KILL $(jobs -p) 2>/dev/null || true' EXIT
        script/demo-service 0 $SPEED >"$DIRECTORY/url" &
        until [[ -s $DIRECTORY/url ]]; do sleep 0.02; done
        sed "s|http://127.0.0.1:8080|$(<"$DIRECTORY/url")|; s|interval: .*|interval: 100ms|" \
            config/pollard.yaml >"$DIRECTORY/pollard.yaml"
        mkdir "$DIRECTORY/state"
        timeout --signal=KILL 40 "$POLLARD" run --config "$DIRECTORY/pollard.yaml" \
            --state "$DIRECTORY/state" --log json >"$DIRECTORY/lines" &
        pollard=$!
        until grep --quiet '"shop-flaky: recovered' "$DIRECTORY/lines"; do
            kill -0 $pollard
            sleep 0.1
        done
        kill $pollard
        wait $pollard
        cat "$DIRECTORY/lines"
        """
}
