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
