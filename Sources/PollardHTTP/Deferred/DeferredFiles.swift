// SPDX-License-Identifier: Apache-2.0

/// The files of a queue, each of them durable: `00000000000000000012.request` has the request 12.
struct DeferredFiles: Sendable {
    private let directory: OwnedDirectory
    /// The last number that was given, as an empty file has it in its name.
    private var recordedID: UInt64 = 0

    /// What was found when the queue was opened.
    struct Contents: Sendable {
        /// The requests, in their order.
        var requests: [DeferredRequest] = []
        /// The bytes of each file, by its request.
        var sizes: [UInt64: Int] = [:]
        /// The names of files that hold no request that can be read.
        var damaged: [String] = []
        /// The highest number that was ever given to a request that was kept.
        var lastID: UInt64 = 0
    }

    /// Opens the directory, or makes it, and sets damaged files aside.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    init(_ path: String, _ contents: inout Contents) throws(NetworkError) {
        directory = try OwnedDirectory(path, purpose: "queue of deferred requests")
        let files = try directory.entries().sorted { $0.name < $1.name }
        let names = Set(files.map(\.name))
        for file in files {
            // Also of a damaged file: the number was given, and belongs to what was in it.
            let id = DeferredFileName.id(file.name) ?? 0
            contents.lastID = max(contents.lastID, id)
            if file.name.hasSuffix(DeferredFileName.last) { recordedID = max(recordedID, id) }
            if file.name.hasSuffix(DeferredFileName.damaged) { contents.damaged.append(file.name) }
            guard file.name.hasSuffix(DeferredFileName.request) else { continue }
            let bytes = try directory.read(file.name) ?? []
            if let request = DeferredRequest(sealed: bytes), request.fileName == file.name {
                contents.requests.append(request)
                contents.sizes[request.id] = file.bytes
            } else {
                let name = DeferredFileName.damaged(file.name, besides: names)
                try directory.rename(file.name, to: name)
                contents.damaged.append(name)
            }
        }
        // Damaged files may be removed by anyone.
        if max(recordedID, contents.requests.last?.id ?? 0) < contents.lastID {
            try record(contents.lastID)
        }
    }

    /// Where they are, for errors.
    var path: String { directory.path }

    /// Writes a request, in place of what was there of it.
    ///
    /// - Throws: `NetworkError.Code.storage`; the file is as it was.
    func write(_ request: DeferredRequest, _ sealed: [UInt8]) throws(NetworkError) {
        try directory.write(request.fileName, sealed, isDurable: true)
    }

    /// Removes a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - others: The numbers of those that stay.
    ///   - lastID: The last number that was given.
    /// - Returns: What failed although the file is gone: a loss of power may bring it back, or a
    ///   number be given again.
    /// - Throws: `NetworkError.Code.storage` if the file is still there.
    mutating func remove(
        _ request: DeferredRequest, others: some Sequence<UInt64>, lastID: UInt64
    ) throws(NetworkError) -> NetworkError? {
        var failure: NetworkError?
        if max(recordedID, others.max() ?? 0) < request.id {
            do throws(NetworkError) {
                try record(lastID)
            } catch {
                // The request goes all the same: it must not be sent again.
                failure = error
            }
        }
        try directory.remove(request.fileName)
        do throws(NetworkError) {
            // What was dropped must not come back with the power.
            try directory.synchronize()
        } catch {
            failure = failure ?? error
        }
        return failure
    }

    /// Notes the last number when no request on the disk has it any more.
    ///
    /// So none is given twice. The name of an empty file can't be damaged.
    private mutating func record(_ lastID: UInt64) throws(NetworkError) {
        try directory.write(
            DeferredFileName.make(lastID, DeferredFileName.last), [], isDurable: true)
        try directory.remove(DeferredFileName.make(recordedID, DeferredFileName.last))
        recordedID = lastID
    }
}

/// The names of the files of a queue.
///
/// All begin with 20 digits, so that they are in the order of their numbers.
enum DeferredFileName {
    /// What the name of a request's file ends with.
    static let request = ".request"
    /// What the name of a file ends with that holds no request that can be read.
    static let damaged = ".damaged"
    /// What the name of the empty file ends with that says which number was the last.
    static let last = ".last"

    /// A name that begins with a number.
    static func make(_ id: UInt64, _ suffix: String) -> String {
        let digits = String(id)
        return String(repeating: "0", count: 20 - digits.count) + digits + suffix
    }

    /// The number that a name begins with; nil for another file.
    static func id(_ name: String) -> UInt64? { UInt64(name.prefix { $0 != "." }) }

    /// The name of a damaged file, which no other has.
    static func damaged(_ name: String, besides names: Set<String>) -> String {
        var (unused, count) = (name + damaged, 1)
        while names.contains(unused) {
            count += 1
            unused = "\(name).\(count)\(damaged)"
        }
        return unused
    }
}
