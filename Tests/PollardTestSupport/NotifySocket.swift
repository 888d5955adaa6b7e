// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The service manager's end of `$NOTIFY_SOCKET`: a socket that keeps what services say.
package final class NotifySocket: Sendable {
    /// The value for `$NOTIFY_SOCKET`.
    package let path: String
    private let directory: TemporaryDirectory
    private let descriptor: CInt

    /// Opens a socket in a directory of its own.
    ///
    /// - Throws: `SystemCallError` if that can't be done.
    package init() throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "notify")
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemCallError("bind") }
    }

    deinit { close(descriptor) }

    /// The messages that have arrived since the last call, in order.
    ///
    /// A datagram of the same host has arrived when its sender is told that it was sent.
    package func messages() -> [String] {
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count >= 0 else { return messages }
            messages.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
