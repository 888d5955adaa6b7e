// SPDX-License-Identifier: Apache-2.0

/// A private HTTP cache (RFC 9111): answers that are fresh are given without asking again, and
/// others are asked for with their validators.
///
/// ```swift
/// let cache = try ResponseCache(directory: "/var/cache/example/http")
/// let client = NetworkManager(
///     transport: try CurlTransport(), baseURL: "https://api.example.org", cache: cache)
/// ```
///
/// Without a directory it is in memory only. With one, answers outlive the process, also a crash:
/// each is a file of its own, which is there as a whole or not at all. The files are readable by
/// their owner only, and hold content as it came, so they are as confidential as that. A directory
/// belongs to one cache at a time: a second one, of this process or another, is refused.
///
/// The cache belongs to one user. A program that acts for several may share it all the same: an
/// answer is only given to requests with the same credentials as its own had, or as none. These
/// are what `HTTPRequest.credentialFields` says. Only the SHA-256 of all of them is stored. Of one
/// URL, 64 answers are kept for all users together.
///
/// `Documentation/Caching.md` says what is implemented, by section of the RFC.
public actor ResponseCache {
    /// The limits of a cache, and what it decides where the RFC leaves it to it.
    public struct Configuration: Sendable, Hashable {
        /// The most bytes kept in memory; 16 MiB by default.
        ///
        /// What was not used for longest goes.
        public var memoryBytes = ResponseCache.defaultMemoryBytes
        /// The most bytes kept in the directory; 256 MiB by default.
        ///
        /// What was not used for longest goes.
        public var diskBytes = ResponseCache.defaultDiskBytes
        /// The most bytes of one answer; a larger one is not kept; 8 MiB by default.
        public var maximumEntryBytes = ResponseCache.defaultMaximumEntryBytes
        /// How long an answer that says nothing about it may be taken for fresh; 24 h by default.
        ///
        /// It is a tenth of the time since `Last-Modified`, and at most this (RFC 9111, 4.2.2).
        /// Zero asks each time.
        public var maximumHeuristicLifetime: Duration = .seconds(86_400)

        /// Makes the default configuration.
        public init() {}
    }

    /// 16 MiB: thousands of answers of an API, and little for a process.
    public static let defaultMemoryBytes = 16 << 20
    /// 256 MiB: what a cache of a program may take of a disk without being asked.
    public static let defaultDiskBytes = 256 << 20
    /// 8 MiB: half of the memory; one large answer does not push out all others.
    public static let defaultMaximumEntryBytes = 8 << 20

    /// What a cache holds, and what it did since it was made.
    public struct Statistics: Sendable {
        /// Answers that are kept.
        public var entries = 0
        /// What is kept in memory, in bytes.
        public var memoryBytes = 0
        /// What is kept on disk, in bytes.
        public var diskBytes = 0
        /// Requests that waited for nobody.
        public var hits = 0
        /// Stored answers that the origin confirmed (304).
        public var revalidations = 0
        /// Requests that the origin answered.
        public var misses = 0
        /// Answers that went for want of room, also for other variants of their URL.
        public var evictions = 0
        /// Files that were damaged, and removed.
        public var discarded = 0
        /// The last failure that no request showed: of a file, or of asking in the background.
        public var lastError: NetworkError?
    }

    private let executor = DiskExecutor(label: "pollard.http.cache")
    let policy: CachePolicy
    var tiers: CacheTiers
    var flights = CacheFlights()

    /// Makes a cache in memory.
    ///
    /// - Parameter configuration: Its limits.
    public init(configuration: Configuration = Configuration()) {
        policy = CachePolicy(configuration)
        tiers = CacheTiers(configuration)
    }

    /// Opens the cache in a directory, or makes one there.
    ///
    /// - Parameters:
    ///   - directory: Its path; the directory above it must be there. A relative path counts from
    ///     the working directory of now, whatever that is later.
    ///   - configuration: Its limits; if less is allowed than is there, what was not used for
    ///     longest goes.
    /// - Throws: `NetworkError.Code.storage` if another cache has the directory, or it can't be
    ///   used.
    public init(
        directory: String, configuration: Configuration = Configuration()
    ) throws(NetworkError) {
        let directory = try OwnedDirectory(directory, purpose: "response cache")
        policy = CachePolicy(configuration)
        tiers = try CacheTiers(configuration, directory)
    }

    /// Runs on a queue of its own, which waits for the disk.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// What the cache holds, and what it did.
    public var statistics: Statistics { tiers.statistics }

    /// Removes everything, for a user who logs out.
    ///
    /// Answers that are under way are not stored either.
    ///
    /// - Throws: `NetworkError.Code.storage` if a file can't be removed; the others are.
    public func removeAll() throws(NetworkError) {
        flights.taintAll()
        if let error = tiers.removeAll() { throw error }
    }

    /// Removes what is stored for a URL.
    ///
    /// - Parameter url: An absolute URL.
    /// - Throws: `NetworkError.Code.storage` if a file can't be removed, and `invalidURL`.
    public func remove(url: String) throws(NetworkError) {
        let url = try CacheKey.url(of: url)
        flights.taint([url])
        if let error = tiers.remove(url: url) { throw error }
    }
}

extension CachePolicy {
    fileprivate init(_ configuration: ResponseCache.Configuration) {
        let limit = configuration.maximumHeuristicLifetime.components.seconds
        self.init(heuristicSeconds: max(0, limit))
    }
}
