// SPDX-License-Identifier: Apache-2.0

/// A connection pool for each set of options that requests have; confined to the loop's thread.
struct ConnectionPools {
    /// The most pools kept without requests, beside the one of the transport's own options: each
    /// takes about 40 kB and three descriptors, and its connections.
    static let maximumIdle = 64

    /// The pool of the transport's own options.
    let common: ConnectionPool
    private var slots: [ConnectionPool?]
    private var places: [Key: Int] = [:]
    private var lastID: UInt64 = 0
    private let poll: EventPoll

    /// What tells pools apart.
    private struct Key: Hashable {
        var options: ConnectionOptions
        var isShared: Bool
    }

    /// Makes the pool of the transport's own options.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    init(
        _ configuration: CurlTransport.Configuration, _ poll: EventPoll
    ) throws(NetworkError) {
        common = try ConnectionPool(
            id: 0, slot: 0, options: configuration.connection, isShared: true, configuration, poll)
        slots = [common]
        self.poll = poll
    }

    /// The pool that sockets with this mark belong to.
    subscript(mark: Int) -> ConnectionPool? { mark < slots.count ? slots[mark] : nil }

    /// Every pool, in its slot; nil where there is none.
    var all: [ConnectionPool?] { slots }

    /// The pool for requests with these options.
    ///
    /// - Parameters:
    ///   - options: How servers are reached; nil for the transport's own.
    ///   - isShared: Whether several requests may share a connection at the same time.
    ///   - configuration: What all pools have.
    ///   - now: The time now, in nanoseconds; only asked for if the pool is not the common one.
    /// - Returns: The pool.
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    mutating func pool(
        for options: ConnectionOptions?, isShared: Bool,
        _ configuration: CurlTransport.Configuration, now: @autoclosure () -> Int64
    ) throws(NetworkError) -> ConnectionPool {
        let isCommon = options == nil || options == common.options
        guard !isCommon || !isShared else { return common }
        let now = now()
        let key = Key(options: options ?? common.options, isShared: isShared)
        if let place = places[key], let pool = slots[place] {
            pool.lastUse = now
            return pool
        }
        closeUnused()
        let free = slots.firstIndex { $0 == nil } ?? slots.count
        lastID += 1
        let pool = try ConnectionPool(
            id: lastID, slot: free, options: key.options, isShared: isShared, configuration, poll)
        pool.lastUse = now
        if free == slots.count { slots.append(pool) } else { slots[free] = pool }
        places[key] = free
        return pool
    }

    /// Makes room for one more: those without requests are closed, the longest unused first.
    private mutating func closeUnused() {
        let idle = slots.compactMap(\.self).filter { $0 !== common && $0.requestCount == 0 }
        guard idle.count >= Self.maximumIdle else { return }
        let oldest = idle.min { $0.lastUse < $1.lastUse }
        guard let oldest else { return }
        slots[oldest.slot] = nil
        places[Key(options: oldest.options, isShared: oldest.isShared)] = nil
    }
}

/// Whom requests are for and how they get there: what may share a connection.
struct Route: Sendable, Hashable {
    /// Scheme, host and port.
    var origin: Origin
    /// The pool of the connection options.
    var pool: UInt64
}
