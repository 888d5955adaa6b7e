// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

/// The commands as a shell runs them.
@Suite struct CommandTests {
    /// Runs a script with `$POLLARD`, in a directory of its own.
    private func run(_ script: String) async throws -> ProgramRun {
        let directory = try TemporaryDirectory()
        return try await ProgramRun(
            "/bin/bash", ["-uc", script],
            environment: [
                "PATH": "/usr/bin:/bin", "POLLARD": try ProjectFiles.executable("pollard"),
            ], directory: directory.path)
    }

    @Test func `An answer that can't be written is no success`() async throws {
        let run = try await run(#""$POLLARD" --version >/dev/full"#)
        #expect(
            run
                == ProgramRun(
                    status: 74, output: "",
                    errors: "pollard: cannot write the output: no space left on device\n"))
    }

    @Test func `A shell that has no credentials is told how to get them`() async throws {
        let run = try await run(
            """
            cat >pollard.yaml <<END
            apis: {a: {base_url: "http://127.0.0.1/", auth: {bearer: {credential: token}}}}
            endpoints: [{name: one, api: a, path: /}]
            END
            "$POLLARD" poll one --config pollard.yaml
            """)
        #expect(
            run
                == ProgramRun(
                    status: 78, output: "",
                    errors: """
                        pollard.yaml:1:71: error: 'bearer': credential 'token' is there for the \
                        unit only (while the unit runs, root has it with \
                        CREDENTIALS_DIRECTORY=/run/credentials/pollard.service)

                        """))
    }

    @Test func `A check in JSON tells errors, warnings, notes and the summary as objects`()
        async throws
    {
        let bad = try await run(
            """
            cat >bad.yaml <<END
            endpoints:
            - {name: a, url: "http://h/", intervall: 1s}
            - {name: a}
            END
            "$POLLARD" check --config bad.yaml --json
            """)
        #expect(
            bad
                == ProgramRun(
                    status: 78,
                    output: """
                        {"severity":"error","file":"bad.yaml","line":2,"column":31,\
                        "message":"unknown key 'intervall'","hint":"did you mean 'interval'?"}
                        {"severity":"error","file":"bad.yaml","line":3,"column":3,\
                        "message":"an endpoint needs 'url', or 'api' and 'path'"}
                        {"severity":"error","file":"bad.yaml","line":3,"column":10,\
                        "message":"duplicate endpoint 'a', first on line 2"}

                        """, errors: ""))
        let good = try await run(
            """
            cat >good.yaml <<END
            endpoints:
              - {name: a, url: "http://h/", auth: {bearer: {credential: token}}}
              - {name: b, url: "http://h/", enabled: false}
            END
            "$POLLARD" check --config good.yaml --json
            """)
        #expect(
            good
                == ProgramRun(
                    status: 0,
                    output: """
                        {"severity":"note","file":"good.yaml",\
                        "message":"credential 'token' was not checked: only the unit has it"}
                        {"severity":"info","file":"good.yaml",\
                        "message":"good: 1 endpoint, 1 disabled, 1 poll a minute",\
                        "endpoints":1,"disabled":1,"polls_per_minute":1}

                        """, errors: ""))
    }

    @Test func `A reload without a daemon says in words what is missing`() async throws {
        let run = try await run(#"MAINPID=$$ RUNTIME_DIRECTORY=/nowhere "$POLLARD" reload"#)
        #expect(
            run
                == ProgramRun(
                    status: 74, output: "",
                    errors: """
                        pollard: cannot read '/nowhere/reload.json': no such file or directory
                        hint: the daemon writes it when it has started

                        """))
    }

    @Test func `A daemon stops when its terminal is closed`() async throws {
        let run = try await run(
            """
            echo 'endpoints: []' >pollard.yaml
            script --quiet --flush --command \
                'echo $$ >pid; exec "$POLLARD" run --config pollard.yaml --state .' lines \
                >/dev/null &
            terminal=$!
            trap 'kill -KILL $terminal $(<pid) 2>/dev/null' EXIT
            tries=0
            until grep --quiet started: lines; do sleep 0.05; ((tries++ < 400)) || exit 1; done
            kill -KILL $terminal
            while readlink /proc/$(<pid)/exe >/dev/null; do sleep 0.05; ((tries++ < 600)) || exit 2; done
            trap - EXIT
            """)
        #expect(run.status == 0, "\(run.errors)")
    }
}
