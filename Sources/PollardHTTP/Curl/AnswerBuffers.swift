// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Memory in which the loop collects answers, lent and given back.
///
/// What one thread allocates and another frees makes both wait for malloc's lock, which with 128
/// requests of 1 kB in flight is a switch of threads for every second one; with 20 kB glibc also
/// gives the pages back to the kernel and fetches them anew. So the task that receives an answer
/// copies it into memory of its own thread, and gives the buffers back.
final class AnswerBuffers: Sendable {
    /// Smaller buffers are chunks that glibc frees without its lock, in bytes.
    static let minimumSize = 128
    /// Larger contents are handed over without a copy, in bytes.
    static let maximumSize = 128 << 10
    /// The most memory that is kept without use for contents, in bytes.
    static let maximumKept = 4 << 20
    /// The most lists of fields that are kept without use; each takes about half a kilobyte.
    static let maximumKeptLists = 512

    /// The parts of an answer that are lent.
    struct Lent: Sendable {
        /// The content.
        var body: [UInt8]
        /// The header fields.
        var fields: HTTPFields
    }

    private struct State: Sendable {
        var bodies: [[UInt8]] = []
        var byteCount = 0
        var fields: [HTTPFields] = []
    }

    private let state = Mutex(State())

    /// Makes a store without buffers.
    init() {}

    /// Whether an answer with this content is lent: also a small one in a large buffer.
    static func isLent(_ body: [UInt8]) -> Bool {
        body.capacity >= minimumSize && body.count <= maximumSize
    }

    /// An empty array, with room if there is one to lend.
    func takeBody() -> [UInt8] {
        let buffer: [UInt8]? = state.withLock { state in
            guard let last = state.bodies.popLast() else { return nil }
            state.byteCount -= last.capacity
            return last
        }
        guard var buffer else { return [] }
        buffer.removeAll(keepingCapacity: true)
        return buffer
    }

    /// An empty list, with room if there is one to lend.
    func takeFields() -> HTTPFields {
        guard var fields = state.withLock({ $0.fields.popLast() }) else { return HTTPFields() }
        fields.removeAllKeepingCapacity()
        return fields
    }

    /// Copies what was lent into `response`, and takes the buffers back.
    func copyAndGiveBack(_ lent: Lent, to response: inout HTTPResponse) {
        response.body = unsafe [UInt8](unsafeUninitializedCapacity: lent.body.count) {
            place, count in
            count = unsafe place.initialize(fromContentsOf: lent.body)
        }
        response.fields = lent.fields.copied()
        state.withLock { state in
            if state.byteCount + lent.body.capacity <= Self.maximumKept {
                state.byteCount += lent.body.capacity
                state.bodies.append(lent.body)
            }
            if state.fields.count < Self.maximumKeptLists { state.fields.append(lent.fields) }
        }
    }
}
