// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The names that a file has until it is complete: `.data.csv.0123456789abcdef.partial`.
///
/// They are long enough that nobody gives one to a file of his own, which would be removed.
struct TemporaryName: Sendable {
    /// The directory, with a slash at the end.
    private let directory: String
    /// What all names for one file begin with.
    private let prefix: String

    private static let suffix = ".partial"
    /// The digits of the random part, which is 64 bits.
    private static let digitCount = 16
    /// What a name may have beside the other parts, in bytes, of the 255 that file systems allow.
    private static let maximumStemBytes = 255 - suffix.utf8.count - digitCount - 2

    /// Makes the names for a file, by its absolute path.
    init(for path: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let stem = path[slash...].utf8.count > Self.maximumStemBytes ? "" : path[slash...]
        directory = String(path[..<slash])
        prefix = ".\(stem)."
    }

    /// A path that no other file has.
    func next() -> String {
        let random = FNVHash.hexadecimal(UInt64.random(in: .min ... .max))
        return "\(directory)\(prefix)\(random)\(Self.suffix)"
    }

    private func matches(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
        let random = name.utf8.dropFirst(prefix.utf8.count).dropLast(Self.suffix.utf8.count)
        return random.count == Self.digitCount
            && random.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// Removes the files of these names whose writers are gone, as after a kill.
    ///
    /// A writer has a lock on its file for as long as it lives. What can't be read, locked or removed
    /// stays.
    func removeAbandoned() {
        for name in DirectoryCalls.names(in: directory) ?? [] where matches(name) {
            Self.removeIfAbandoned(directory + name)
        }
    }

    private static func removeIfAbandoned(_ path: String) {
        let file = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(file, LOCK_EX | LOCK_NB) == 0
        else { return }
        _ = unsafe unlink(path)
    }
}
