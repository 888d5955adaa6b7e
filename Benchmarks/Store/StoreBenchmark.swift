// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardStore

/// Measures what the daemon does to its store, on a real file.
struct StoreBenchmark {
    /// Where stores are made and removed again.
    let directory: String

    /// Commits changes of 100 endpoints whose bodies have 250 items, 20 kB, and reads them.
    func measureCommits(itemsChanged: Int) async throws {
        let (path, endpoints, rounds) = ("\(directory)/commits.db", 100, 20)
        remove(path)
        let store = try SQLiteStore(path: path)
        var documents = (0..<endpoints).map { Document(seed: UInt64($0) + 1) }
        var last = [StoredChange?](repeating: nil, count: endpoints)
        var (times, cpu) = ([Duration](), 0.0)
        for round in 0..<rounds {
            // The first snapshots are whole: what follows is what a day looks like.
            if round == 1 { (times, cpu) = ([], 0) }
            for index in 0..<endpoints {
                if round > 0 { documents[index].change(items: itemsChanged) }
                let change = change(
                    documents[index].bytes, after: last[index]?.snapshot,
                    number: round * endpoints + index)
                let name = try name(index)
                let (usage, start) = (Usage(), ContinuousClock.now)
                // As a poll does: read what was there, compare, store.
                if let before = last[index] { _ = try await store.body(before.snapshot.digest) }
                last[index] = try await store.commit(change, for: name)
                times.append(.now - start)
                cpu += usage.sinceThen.cpu
            }
        }
        let wall = times.reduce(.zero, +) / .seconds(1)
        let bytes = try await size(store, path)
        print(
            """
            read the body before and commit, 20 kB, \(itemsChanged) of 250 items changed:
              \(Int(Double(times.count) / wall))/s, CPU \(micro(cpu / Double(times.count))) us each
              p50 \(micro(times, 0.5)) us, p99 \(micro(times, 0.99)) us
              file: \(bytes / (endpoints * rounds)) bytes a snapshot, the first ones included
            """)
        let reader = try StoreReader(path: path)
        let usage = Usage()
        for change in last { if let change { _ = try reader.body(change.snapshot.digest) } }
        print("  read a body at depth 3: \(micro(usage.sinceThen.wall / Double(endpoints))) us")
        remove(path)
    }

    /// Commits the changes of 100 endpoints that all change at the same moment, and marks each.
    func measureBursts() async throws {
        let (path, endpoints, rounds) = ("\(directory)/bursts.db", 100, 20)
        remove(path)
        let store = try SQLiteStore(path: path)
        var documents = (0..<endpoints).map { Document(seed: UInt64($0) + 1) }
        var last = [StoredChange?](repeating: nil, count: endpoints)
        let names = try (0..<endpoints).map { try name($0) }
        var (times, cpu) = ([Duration](), 0.0)
        for round in 0...rounds {
            if round == 1 { (times, cpu) = ([], 0) }
            let changes = documents.indices.map { index in
                change(
                    documents[index].bytes, after: last[index]?.snapshot,
                    number: round * endpoints + index)
            }
            let (usage, start) = (Usage(), ContinuousClock.now)
            last = try await withThrowingTaskGroup { group in
                for index in changes.indices {
                    group.addTask {
                        let stored = try await store.commit(changes[index], for: names[index])
                        try await store.markReported(stored.id)
                        return (index, stored)
                    }
                }
                var all = last
                for try await (index, stored) in group { all[index] = stored }
                return all
            }
            times.append(.now - start)
            cpu += usage.sinceThen.cpu
            for index in documents.indices { documents[index].change(items: 1) }
        }
        let wall = times.reduce(.zero, +) / .seconds(1)
        let count = Double(endpoints * rounds)
        print(
            """
            commit and mark 100 changes at the same moment, 20 kB, 1 of 250 items changed:
              \(Int(count / wall))/s, CPU \(micro(cpu / count)) us each
            """)
        try await store.close()
        remove(path)
    }

    /// Flushes 167 polls at a time: what 10,000 endpoints at 60 s note in one second.
    func measureFlushes() async throws {
        let (path, endpoints, perFlush, flushes) = ("\(directory)/flushes.db", 10_000, 167, 600)
        remove(path)
        let store = try SQLiteStore(path: path)
        let names = try (0..<endpoints).map { try name($0) }
        for name in names { store.note(poll(name, second: 0)) }
        var usage = Usage()
        try await store.flush()
        print("flush of 10,000 polls: \(micro(usage.sinceThen.wall) / 1_000) ms")

        var times: [Duration] = []
        var (noting, flushing) = (0.0, 0.0)
        for flush in 0..<flushes {
            usage = Usage()
            for index in 0..<perFlush {
                let name = names[(flush * perFlush + index) % endpoints]
                store.note(poll(name, second: Int64(flush)))
            }
            noting += usage.sinceThen.cpu
            usage = Usage()
            let start = ContinuousClock.now
            try await store.flush()
            times.append(.now - start)
            flushing += usage.sinceThen.cpu
        }
        let polls = Double(perFlush * flushes)
        print(
            """
            note: CPU \(Int(noting / polls * 1e9)) ns each
            flush of 167 polls, 600 times: CPU \(micro(flushing / Double(flushes))) us each
              p50 \(micro(times, 0.5)) us, p99 \(micro(times, 0.99)) us
              once a second that is \(percent(flushing / Double(flushes))) % of a core
            """)
        try await store.close()

        usage = Usage()
        let again = try SQLiteStore(path: path)
        let count = try await again.states().count
        print("open, and read the states of \(count) endpoints: \(micro(usage.sinceThen.wall)) us")
        try await again.close()
        remove(path)
    }

    private func size(_ store: SQLiteStore, _ path: String) async throws -> Int {
        try await store.close()
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    private func remove(_ path: String) {
        let lock = path.dropLast(3) + ".lock"
        for file in [path, "\(path)-wal", "\(path)-shm", String(lock)] { unsafe unlink(file) }
    }

    private func name(_ index: Int) throws -> EndpointName {
        guard let name = EndpointName(rawValue: "endpoint-\(index)") else { throw InvalidName() }
        return name
    }

    private struct InvalidName: Error {}
}

// MARK: - What is stored

extension StoreBenchmark {
    private func change(_ body: [UInt8], after previous: Snapshot?, number: Int) -> NewChange {
        let at = Timestamp(microseconds: Int64(number) * 1_000_000)
        var summary = ChangeSummary()
        summary.updated = 1
        summary.lines = ["~ /117/price 4711 -> 4712"]
        summary.patch = #"[{"op":"replace","path":"/117/price","value":4712}]"#
        var state = EndpointState()
        state.lastPoll = EndpointState.LastPoll(
            at: at, duration: .milliseconds(80), status: 200, failure: nil)
        let event = String(UInt64(number) &* 0x9e37_79b9_7f4a_7c15 | 1 << 63, radix: 16)
        return NewChange(
            kind: previous == nil ? .first : .changed, event: event + event,
            digest: ContentDigest(of: body), body: body, contentType: "application/json",
            takenAt: at, previous: previous, summary: summary, state: state)
    }

    private func poll(_ name: EndpointName, second: Int64) -> NotedPoll {
        let at = Timestamp(microseconds: second * 1_000_000)
        var state = EndpointState()
        state.validators = EndpointState.KeptValidators(
            validators: Validators(entityTag: #"W/"5f2c1d""#), fingerprint: "0123456789abcdef")
        state.lastPoll = EndpointState.LastPoll(
            at: at, duration: .milliseconds(80), status: 304, failure: nil)
        return NotedPoll(
            name: name, at: at, duration: .milliseconds(20 + second % 50), isFailure: false,
            state: state)
    }

    /// A JSON document of 250 items, with ids, hashes, numbers and times.
    private struct Document {
        private var items: [String]
        private var generator: Xorshift

        init(seed: UInt64) {
            var generator = Xorshift(state: seed &* 0x9e37_79b9_7f4a_7c15)
            items = (0..<250).map { Self.item($0, &generator) }
            self.generator = generator
        }

        var bytes: [UInt8] { Array("[\(items.joined(separator: ","))]".utf8) }

        mutating func change(items count: Int) {
            for _ in 0..<count {
                let index = Int.random(in: items.indices, using: &generator)
                items[index] = Self.item(index, &generator)
            }
        }

        private static func item(_ id: Int, _ generator: inout Xorshift) -> String {
            let hash = String(generator.next(), radix: 16)
            let price = Int.random(in: 0...100_000, using: &generator)
            let second = Int.random(in: 10...59, using: &generator)
            return #"{"id":\#(id),"hash":"\#(hash)","price":\#(price),"#
                + #""at":"2026-11-30T10:00:\#(second)Z"}"#
        }
    }

    /// Marsaglia's generator: the same bodies in each run.
    private struct Xorshift: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}

// MARK: - Figures

extension StoreBenchmark {
    /// Time and CPU time of the whole process, from its creation on.
    private struct Usage {
        private let wall = ContinuousClock.now
        private let cpu = Self.cpuSeconds

        /// Both in seconds.
        var sinceThen: (wall: Double, cpu: Double) {
            ((.now - wall) / .seconds(1), Self.cpuSeconds - cpu)
        }

        private static var cpuSeconds: Double {
            var time = timespec()
            unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }

    private func micro(_ seconds: Double) -> Int { Int((seconds * 1e6).rounded()) }

    private func micro(_ times: [Duration], _ share: Double) -> Int {
        micro(times.sorted()[Int(Double(times.count - 1) * share)] / .seconds(1))
    }

    private func percent(_ share: Double) -> Double { (share * 10_000).rounded() / 100 }
}
