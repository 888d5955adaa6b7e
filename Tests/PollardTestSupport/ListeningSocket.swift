// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The loopback address that a server of the tests listens on.
package enum LoopbackAddress: Sendable {
    /// 127.0.0.1
    case ipv4
    /// ::1
    case ipv6
}

/// A TCP socket bound to a port of loopback.
struct ListeningSocket {
    let descriptor: CInt
    let port: UInt16

    /// Binds, to a port that the kernel chooses if it is 0, and listens unless `backlog` is nil.
    ///
    /// - Throws: `SystemCallError` if the address or a port is not to be had.
    init(on address: LoopbackAddress, port wanted: UInt16 = 0, backlog: CInt?) throws {
        let family = address == .ipv4 ? AF_INET : AF_INET6
        descriptor = socket(
            family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        do throws(SystemCallError) {
            switch address {
            case .ipv4:
                var own = sockaddr_in.loopback(port: wanted)
                try Self.bind(descriptor, to: &own)
                port = UInt16(bigEndian: own.sin_port)
            case .ipv6:
                var own = sockaddr_in6()
                own.sin6_family = sa_family_t(AF_INET6)
                own.sin6_addr = in6addr_loopback
                own.sin6_port = wanted.bigEndian
                try Self.bind(descriptor, to: &own)
                port = UInt16(bigEndian: own.sin6_port)
            }
            if let backlog, listen(descriptor, backlog) != 0 { throw SystemCallError("listen") }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    func close() { Glibc.close(descriptor) }

    /// Binds, and sets `address` to what the kernel chose.
    private static func bind<Address>(
        _ descriptor: CInt, to address: inout Address
    ) throws(SystemCallError) {
        let bound = unsafe withUnsafeSockaddr(of: &address) {
            unsafe Glibc.bind(descriptor, $0, $1)
        }
        guard bound == 0 else { throw SystemCallError("bind") }
        var length = socklen_t(MemoryLayout<Address>.size)
        let named = unsafe withUnsafeSockaddr(of: &address) { pointer, _ in
            unsafe getsockname(descriptor, pointer, &length)
        }
        guard named == 0 else { throw SystemCallError("getsockname") }
    }
}

extension sockaddr_in {
    /// 127.0.0.1 with `port`.
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}

/// Calls `body` with the address as the C functions want it.
@unsafe func withUnsafeSockaddr<Address>(
    of address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}
