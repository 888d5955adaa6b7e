// SPDX-License-Identifier: Apache-2.0

/// What a cache holds: in memory, and on disk if it has a directory, each within its limit.
struct CacheTiers: Sendable {
    private let configuration: ResponseCache.Configuration
    private let directory: OwnedDirectory?
    private var memory: [CacheEntryKey: StoredResponse] = [:]
    private var memoryUse = RecencyList<CacheEntryKey>()
    private var diskUse = RecencyList<CacheEntryKey>()
    /// The variants of each URL, the one that was not used for longest first.
    private var variants: [UInt64: [UInt64]] = [:]
    private var entryCount = 0
    /// What happened up to now.
    private(set) var statistics = ResponseCache.Statistics()

    /// The most variants of one URL, of all users together.
    ///
    /// Many users in turn have room, and few enough are left that to read and compare them all for
    /// each request takes microseconds.
    static let maximumVariants = 64

    /// Takes over what the directory holds.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    init(
        _ configuration: ResponseCache.Configuration, _ directory: OwnedDirectory?
    ) throws(NetworkError) {
        self.configuration = configuration
        self.directory = directory
        guard let directory else { return }
        for file in try directory.entries().sorted(by: { $0.modified < $1.modified }) {
            guard let key = CacheEntryKey(fileName: file.name) else { continue }
            diskUse.insert(key, bytes: file.bytes)
            index(key)
        }
        evict()
        count()
    }

    /// Makes a cache in memory.
    init(_ configuration: ResponseCache.Configuration) {
        self.configuration = configuration
        directory = nil
    }

    /// Everything that is stored for a URL; a file that is damaged is removed.
    mutating func stored(for url: String) -> [StoredResponse] {
        let hash = CacheEntryKey.hash(ofURL: url)
        let found = (variants[hash] ?? []).compactMap { variant in
            load(CacheEntryKey(url: hash, variant: variant))
        }
        return found.filter { $0.url == url }
    }

    /// Notes that an answer was chosen for a request, out of all that are stored for its URL.
    mutating func noteUse(of stored: StoredResponse) {
        let key = CacheEntryKey(stored)
        guard let place = variants[key.url]?.firstIndex(of: key.variant) else { return }
        variants[key.url]?.remove(at: place)
        variants[key.url]?.append(key.variant)
    }

    // All of a URL are loaded at once, in the order of their use, so that they keep it.
    private mutating func load(_ key: CacheEntryKey) -> StoredResponse? {
        if let stored = memory[key] {
            memoryUse.touch(key)
            diskUse.touch(key)
            return stored
        }
        guard let directory else { return nil }
        do throws(NetworkError) {
            guard let bytes = try directory.read(key.fileName),
                let stored = StoredResponse(sealed: bytes), CacheEntryKey(stored) == key
            else {
                statistics.discarded += 1
                remove(key)
                return nil
            }
            directory.touch(key.fileName)
            diskUse.touch(key)
            keepInMemory(stored, key)
            return stored
        } catch {
            statistics.lastError = error
            return nil
        }
    }

    /// Stores an answer in place of what was stored under its name.
    mutating func insert(_ stored: StoredResponse) {
        let key = CacheEntryKey(stored)
        let sealed = directory == nil ? [] : stored.sealed
        guard max(stored.bytes, sealed.count) <= configuration.maximumEntryBytes else {
            remove(key)
            return
        }
        forget(key)
        index(key)
        if let directory, configuration.diskBytes > 0 {
            do throws(NetworkError) {
                try directory.write(key.fileName, sealed, isDurable: false)
                diskUse.insert(key, bytes: sealed.count)
            } catch {
                statistics.lastError = error
            }
        }
        keepInMemory(stored, key)
        if let all = variants[key.url], all.count > Self.maximumVariants {
            remove(CacheEntryKey(url: key.url, variant: all[0]))
            statistics.evictions += 1
        }
        evict()
        count()
    }

    private mutating func keepInMemory(_ stored: StoredResponse, _ key: CacheEntryKey) {
        memory[key] = stored
        memoryUse.insert(key, bytes: stored.bytes)
        evict()
        count()
    }

    /// Removes everything that is stored for a URL.
    ///
    /// - Returns: Why a file could not be removed; it is found again after a restart.
    @discardableResult
    mutating func remove(url: String) -> NetworkError? {
        let hash = CacheEntryKey.hash(ofURL: url)
        return remove((variants[hash] ?? []).map { CacheEntryKey(url: hash, variant: $0) })
    }

    /// Removes everything.
    ///
    /// - Returns: Why a file could not be removed; it is found again after a restart.
    mutating func removeAll() -> NetworkError? {
        remove(variants.flatMap { url, all in all.map { CacheEntryKey(url: url, variant: $0) } })
    }

    private mutating func remove(_ keys: [CacheEntryKey]) -> NetworkError? {
        var first: NetworkError?
        for key in keys {
            let error = remove(key)
            first = first ?? error
        }
        guard let directory, !keys.isEmpty else { return first }
        do throws(NetworkError) {
            // What is void, or was of a user who has left, must not come back with the power.
            try directory.synchronize()
        } catch {
            statistics.lastError = error
            first = first ?? error
        }
        return first
    }

    /// Removes one answer.
    ///
    /// - Returns: Why its file could not be removed; it is found again after a restart.
    @discardableResult
    mutating func remove(_ key: CacheEntryKey) -> NetworkError? {
        memory[key] = nil
        memoryUse.remove(key)
        let error = removeFile(key)
        diskUse.remove(key)
        forget(key)
        count()
        return error
    }

    /// Removes what was not used for longest until both tiers are within their limits.
    private mutating func evict() {
        while memoryUse.totalBytes > configuration.memoryBytes,
            let key = memoryUse.removeLeastRecent()
        {
            memory[key] = nil
            if !diskUse.contains(key) {
                forget(key)
                statistics.evictions += 1
            }
        }
        while diskUse.totalBytes > configuration.diskBytes, let key = diskUse.removeLeastRecent() {
            _ = removeFile(key)
            memory[key] = nil
            memoryUse.remove(key)
            forget(key)
            statistics.evictions += 1
        }
    }

    private mutating func removeFile(_ key: CacheEntryKey) -> NetworkError? {
        guard let directory else { return nil }
        do throws(NetworkError) {
            try directory.remove(key.fileName)
            return nil
        } catch {
            statistics.lastError = error
            return error
        }
    }

    private mutating func index(_ key: CacheEntryKey) {
        variants[key.url, default: []].append(key.variant)
        entryCount += 1
    }

    private mutating func forget(_ key: CacheEntryKey) {
        guard var all = variants[key.url], let place = all.firstIndex(of: key.variant) else {
            return
        }
        all.remove(at: place)
        entryCount -= 1
        variants[key.url] = all.isEmpty ? nil : all
    }

    private mutating func count() {
        statistics.memoryBytes = memoryUse.totalBytes
        statistics.diskBytes = diskUse.totalBytes
        statistics.entries = entryCount
    }

    /// Counts an answer.
    mutating func note(_ outcome: CacheOutcome) {
        switch outcome {
        case .hit, .staleWhileRevalidate, .staleIfError: statistics.hits += 1
        case .revalidated: statistics.revalidations += 1
        case .miss: statistics.misses += 1
        case .refused: break
        }
    }

    /// Keeps an error that no caller gets to see.
    mutating func note(_ error: NetworkError) { statistics.lastError = error }
}
