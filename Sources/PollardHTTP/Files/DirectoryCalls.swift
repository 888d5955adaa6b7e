// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// What is done with directories by path; after a failure `errno` says more.
enum DirectoryCalls {
    /// The names in a directory, but for itself and the one above; nil if it can't be read.
    static func names(in path: String) -> [String]? {
        guard let stream = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let item = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &item.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Waits until the names in a directory are on the disk.
    ///
    /// - Returns: Whether they are.
    static func synchronize(_ path: String) -> Bool {
        let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        let result = fsync(directory)
        let error = errno
        close(directory)
        errno = error
        return result == 0
    }
}
