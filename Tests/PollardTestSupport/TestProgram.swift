// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A small C program of the tests, below `Tests/preload`, for what no Swift program can do.
package enum TestProgram: String, Sendable {
    /// Holds one thread of another program.
    case holdThread = "hold-thread"
    /// A library that makes a program trip over one of its own calls; see `Trip`.
    case trip

    /// The compiler did not like it.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Compiles it, with the C compiler that comes with Swift.
    ///
    /// - Returns: The absolute path of the result, which is kept beside the tests.
    /// - Throws: `Failed` with what the compiler says.
    package func compiled() async throws -> String {
        let path = try ProjectFiles.executable(self == .trip ? "trip.so" : rawValue)
        // Other tests may compile it at the same time.
        let draft = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        let kind = self == .trip ? ["-shared", "-fPIC"] : []
        let run = try await ProgramRun(
            "/usr/bin/env",
            ["clang", "-O1", "-Wall", "-Wextra", "-Werror"] + kind
                + ["-o", draft, "\(ProjectFiles.root)/Tests/preload/\(rawValue).c"])
        guard run.status == 0 else { throw Failed(description: run.errors) }
        guard unsafe rename(draft, path) == 0 else { throw SystemCallError("rename") }
        return path
    }
}

/// A call of a program at which it is killed, stopped or held up, as `Tests/preload/trip.c` has it.
///
/// The program is as it is delivered: it knows nothing of it.
package struct Trip: Sendable {
    /// What happens at the call.
    package enum Action: Sendable {
        /// The process gets SIGKILL.
        case kill
        /// The process gets SIGSTOP.
        case stop
        /// The thread never goes on.
        case hold
        /// The call takes so much longer, in whole seconds.
        case slow(seconds: Int)
    }

    /// What happens.
    package var action: Action
    /// The calls that must come one after another; it happens before the last.
    package var calls: [String]
    /// A file without which nothing happens.
    package var file: String?

    package init(_ action: Action, at calls: String..., ifThere file: String? = nil) {
        self.init(action, at: calls, ifThere: file)
    }

    package init(_ action: Action, at calls: [String], ifThere file: String? = nil) {
        self.action = action
        self.calls = calls
        self.file = file
    }

    /// What the environment of the program must have.
    ///
    /// - Parameter library: What `TestProgram.trip` was compiled to.
    /// - Returns: Variables as `NAME=value`.
    package func environment(library: String) -> [String] {
        let action =
            switch action {
            case .kill: ["TRIP_DO=kill"]
            case .stop: ["TRIP_DO=stop"]
            case .hold: ["TRIP_DO=hold"]
            case .slow(let seconds): ["TRIP_DO=slow", "TRIP_SECONDS=\(seconds)"]
            }
        return ["LD_PRELOAD=\(library)", "TRIP_AT=\(calls.joined(separator: "|"))"] + action
            + (file.map { ["TRIP_FILE=\($0)"] } ?? [])
    }
}
