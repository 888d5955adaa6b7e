// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A directory of one test, removed with all it holds when the test ends.
final class StoreDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/pollard-store-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The path of the store in it.
    var store: String { "\(path)/pollard.db" }

    /// The names of the files in it, sorted.
    var names: [String] { Self.names(in: path) }

    private static func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ directory: String) {
        for name in names(in: directory) {
            let path = "\(directory)/\(name)"
            if unsafe unlink(path) != 0 { remove(path) }
        }
        unsafe rmdir(directory)
    }
}

/// A file as bytes.
enum File {
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            try #require(count >= 0)
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
    }
}
