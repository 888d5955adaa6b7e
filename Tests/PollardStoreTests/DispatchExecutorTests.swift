// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Testing

@testable import PollardStore

@Suite struct DispatchExecutorTests {
    /// An actor that blocks its thread until it is told to go on.
    private actor Blocker {
        private let executor = DispatchExecutor(label: "pollard.test")

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        func block(until signal: DispatchSemaphore, _ begun: AsyncStream<Void>.Continuation) {
            begun.yield()
            signal.wait()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `Blocked actors leave the threads of other tasks free`() async {
        // More than there are threads for tasks: on those, nobody could end the waiting.
        let count = 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let signal = DispatchSemaphore(value: 0)
        let (stream, begun) = AsyncStream<Void>.makeStream()
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask { await Blocker().block(until: signal, begun) }
            }
            var blocked = 0
            for await _ in stream {
                blocked += 1
                if blocked == count { break }
            }
            for _ in 0..<count { signal.signal() }
            await group.waitForAll()
            #expect(blocked == count)
        }
    }
}
