// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PollardTestSupport
import Testing

/// The tools that all tests share.
@Suite struct TestSupportTests {
    @Test func `A subprocess has its arguments, environment, input and directory`() async throws {
        let script = #"printf '%s|%s|%s|' "$1" "$X" "$(pwd)"; cat; echo oops >&2; exit 3"#
        let result = try await Subprocess.run(
            "/bin/sh", ["-c", script, "sh", "a b"], environment: ["X=y", "PATH=/usr/bin:/bin"],
            directory: "/", input: Array("in".utf8))
        #expect(result.outputText == "a b|y|/|in")
        #expect(result.errorText == "oops\n")
        #expect(result.status == .exited(3))
    }

    @Test func `A subprocess is awaited by what it writes, and takes signals`() async throws {
        let script =
            "trap 'echo term; exit 7' TERM; echo ready; while :; do sleep 1000 & wait; done"
        let process = try Subprocess("/bin/sh", ["-c", script])
        try await process.wait(for: "ready") { $0.outputText == "ready\n" }
        process.signal(SIGTERM)
        // The sleep, a child, would hold the output open.
        let result = try await process.waitForExit()
        #expect(result.outputText == "ready\nterm\n")
        #expect(result.status == .exited(7))
    }

    @Test func `A killed subprocess says so`() async throws {
        let process = try Subprocess("/bin/sleep", ["1000"])
        process.kill()
        #expect(try await process.waitForExit().status == .signalled(SIGKILL))
    }

    @Test func `A program that is not there can't be started`() throws {
        let error = #expect(throws: SystemCallError.self) { try Subprocess("/nowhere/x") }
        #expect(error?.description == "posix_spawn /nowhere/x: No such file or directory")
    }

    @Test func `What a subprocess wrote is said when it is waited for in vain`() async throws {
        let error = await #expect(throws: TimedOut.self) {
            let process = try Subprocess("/bin/sh", ["-c", "echo hm; exec sleep 1000"])
            try await process.wait(for: "hm") { $0.outputText == "hm\n" }
            try await process.waitForExit(timeout: .milliseconds(1))
        }
        #expect(
            error?.description
                == "waited 0.001 seconds for the end of /bin/sh, which wrote: hm\n")
    }

    @Test func `A temporary directory goes with all that is in it`() async throws {
        let path = try await withTemporaryDirectory { directory in
            let file = try directory.write("text", to: "a/b.txt")
            #expect(file == directory.path(of: "a/b.txt"))
            #expect(try directory.read("a/b.txt") == Array("text".utf8))
            return directory.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `A condition resumes its waiter when it is met, and no sooner`() async throws {
        let count = Watched(0)
        async let seen = count.wait(for: "2") { $0 >= 2 }
        for _ in 1...3 { count.update { $0 += 1 } }
        #expect(try await seen >= 2)
        #expect(count.value == 3)
    }

    @Test func `Waiting ends at the limit and at cancellation`() async throws {
        let gate = try Gate()
        let error = await #expect(throws: TimedOut.self) {
            try await gate.wait(timeout: .milliseconds(1))
        }
        #expect(error?.description == "waited 0.001 seconds for a gate to open")
        let task = Task { try await gate.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: TimedOut.self) {
            try await waitUntil("never", timeout: .milliseconds(1)) { false }
        }
    }
}
