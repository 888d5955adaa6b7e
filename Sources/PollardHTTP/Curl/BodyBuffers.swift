// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Memory in which the loop collects contents, lent and given back.
///
/// What one thread allocates and another frees makes both wait for malloc's lock, which with 128
/// requests of 1 kB in flight is a switch of threads for every second one; with 20 kB glibc also
/// gives the pages back to the kernel and fetches them anew. So the task that receives a content
/// copies it into memory of its own thread, and gives the buffer back.
final class BodyBuffers: Sendable {
    /// Smaller contents are in chunks that glibc frees without its lock, in bytes.
    static let minimumSize = 128
    /// Larger contents are handed over without a copy, in bytes.
    static let maximumSize = 128 << 10
    /// The most memory that is kept without use, in bytes.
    static let maximumKept = 4 << 20

    private struct State: Sendable {
        var buffers: [[UInt8]] = []
        var byteCount = 0
    }

    private let state = Mutex(State())

    /// Makes a store without buffers.
    init() {}

    /// Whether a content of this size is lent.
    static func isLent(_ body: [UInt8]) -> Bool {
        (minimumSize...maximumSize).contains(body.count)
    }

    /// An empty array, with room if there is one to lend.
    func take() -> [UInt8] {
        let buffer: [UInt8]? = state.withLock { state in
            guard let last = state.buffers.popLast() else { return nil }
            state.byteCount -= last.capacity
            return last
        }
        guard var buffer else { return [] }
        buffer.removeAll(keepingCapacity: true)
        return buffer
    }

    /// Copies what was lent, and takes the buffer back.
    func copyAndGiveBack(_ lent: [UInt8]) -> [UInt8] {
        let copy = unsafe [UInt8](unsafeUninitializedCapacity: lent.count) { place, count in
            count = unsafe place.initialize(fromContentsOf: lent)
        }
        state.withLock { state in
            guard state.byteCount + lent.capacity <= Self.maximumKept else { return }
            state.byteCount += lent.capacity
            state.buffers.append(lent)
        }
        return copy
    }
}
