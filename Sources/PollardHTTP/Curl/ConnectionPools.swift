// SPDX-License-Identifier: Apache-2.0

/// A connection pool for each set of options that requests have; confined to the loop's thread.
struct ConnectionPools {
    /// The most pools kept without requests, beside the one of the transport's own options: each
    /// takes about 40 kB and three descriptors, and its connections.
    static let maximumIdle = 64

    /// The pool of the transport's own options.
    let common: ConnectionPool
    private var slots: [ConnectionPool?]
    private var places: [ConnectionOptions: Int] = [:]
    private var lastID: UInt64 = 0
    private let poll: EventPoll

    /// Makes the pool of the transport's own options.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    init(
        _ configuration: CurlTransport.Configuration, _ poll: EventPoll
    ) throws(NetworkError) {
        common = try ConnectionPool(
            id: 0, slot: 0, options: configuration.connection, configuration, poll)
        slots = [common]
        self.poll = poll
    }

    /// The pool that sockets with this mark belong to.
    subscript(mark: Int) -> ConnectionPool? { mark < slots.count ? slots[mark] : nil }

    /// Every pool, in its slot; nil where there is none.
    var all: [ConnectionPool?] { slots }

    /// The pool for requests with these options; nil means the transport's own.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    mutating func pool(
        for options: ConnectionOptions?, _ configuration: CurlTransport.Configuration,
        now: @autoclosure () -> Int64
    ) throws(NetworkError) -> ConnectionPool {
        guard let options, options != common.options else { return common }
        let now = now()
        if let place = places[options], let pool = slots[place] {
            pool.lastUse = now
            return pool
        }
        closeUnused()
        let free = slots.firstIndex { $0 == nil } ?? slots.count
        lastID += 1
        let pool = try ConnectionPool(
            id: lastID, slot: free, options: options, configuration, poll)
        pool.lastUse = now
        if free == slots.count { slots.append(pool) } else { slots[free] = pool }
        places[options] = free
        return pool
    }

    /// Makes room for one more: those without requests are closed, the longest unused first.
    private mutating func closeUnused() {
        let idle = slots.compactMap(\.self).filter { $0 !== common && $0.requestCount == 0 }
        guard idle.count >= Self.maximumIdle else { return }
        let oldest = idle.min { $0.lastUse < $1.lastUse }
        guard let oldest else { return }
        slots[oldest.slot] = nil
        places[oldest.options] = nil
    }
}

/// Whom requests are for and how they get there: what may share a connection.
struct Route: Sendable, Hashable {
    /// Scheme, host and port.
    var origin: Origin
    /// The pool of the connection options.
    var pool: UInt64
}
