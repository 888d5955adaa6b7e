// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import PollardTestSupport
import Synchronization
import Testing

@testable import PollardStore

@Suite struct FileLockTests {
    private static let threads = 4
    private static let refusals = 10

    @Test func `A refused lock closes no descriptor that another thread has opened meanwhile`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = "\(directory.path)/pollard.db"
        let held = try FileLock(store: store)
        let others = DescriptorUsers(Self.threads)
        for _ in 0..<Self.refusals {
            #expect(throws: StoreError.self) { try FileLock(store: store) }
        }
        #expect(others.stop() == 0)
        withExtendedLifetime(held) {}
    }
}

/// Threads that open a descriptor, keep it a moment, and close it, over and over.
private final class DescriptorUsers: Sendable {
    private let isOver = Atomic(false)
    private let lost = Atomic(0)
    private let group = DispatchGroup()

    init(_ threads: Int) {
        for number in 0..<threads {
            DispatchQueue(label: "descriptors.\(number)").async(group: group) { self.run() }
        }
    }

    private func run() {
        while !isOver.load(ordering: .acquiring) {
            // The number that was closed last is the next to be given out.
            let descriptor = dup(STDIN_FILENO)
            for _ in 0..<20 { sched_yield() }
            if fcntl(descriptor, F_GETFD) < 0 {
                lost.wrappingAdd(1, ordering: .relaxed)
            } else {
                close(descriptor)
            }
        }
    }

    /// Ends the threads, and tells how often one lost its descriptor to another.
    func stop() -> Int {
        isOver.store(true, ordering: .releasing)
        group.wait()
        return lost.load(ordering: .relaxed)
    }
}
