// SPDX-License-Identifier: Apache-2.0
import Glibc
import PollardTestSupport

/// A TCP connection to loopback that sends and receives text as it is.
final class RawConnection {
    /// The server reset the connection.
    struct Reset: Error {}
    /// The handshake was not answered in time.
    struct ConnectTimeout: Error {}
    /// The server closed before what was expected came.
    struct EarlyEnd: Error {
        let received: String
    }

    private var descriptor: CInt

    /// Connects.
    ///
    /// - Throws: `ConnectTimeout`, or the error of connect(2).
    init(
        to port: UInt16, on address: LoopbackAddress = .ipv4, timeoutMilliseconds: CInt = 10_000
    ) throws {
        descriptor = socket(
            address == .ipv4 ? AF_INET : AF_INET6,
            CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
                | CInt(SOCK_NONBLOCK.rawValue), 0)
        let started = Self.connect(descriptor, to: port, on: address)
        var code = started == 0 ? 0 : errno
        if code == EINPROGRESS {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&waiting, 1, timeoutMilliseconds) == 1 else {
                close()
                throw ConnectTimeout()
            }
            var length = socklen_t(MemoryLayout<CInt>.size)
            _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        }
        guard code == 0 else {
            close()
            throw SystemCallError("connect", code: code)
        }
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    deinit { close() }

    private static func connect(
        _ descriptor: CInt, to port: UInt16, on address: LoopbackAddress
    ) -> CInt {
        switch address {
        case .ipv4:
            var server = sockaddr_in()
            server.sin_family = sa_family_t(AF_INET)
            server.sin_port = port.bigEndian
            server.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return unsafe connectTo(descriptor, &server)
        case .ipv6:
            var server = sockaddr_in6()
            server.sin6_family = sa_family_t(AF_INET6)
            server.sin6_port = port.bigEndian
            server.sin6_addr = in6addr_loopback
            return unsafe connectTo(descriptor, &server)
        }
    }

    @unsafe private static func connectTo<Address>(
        _ descriptor: CInt, _ address: inout Address
    ) -> CInt {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// Closes the connection; later calls do nothing.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
        else { throw SystemCallError("send") }
    }

    /// Receives up to and with `end`.
    func receive(until end: String) throws -> String {
        var text = ""
        while !text.hasSuffix(end) {
            let next = try receiveSome(1)
            guard !next.isEmpty else { throw EarlyEnd(received: text) }
            text += next
        }
        return text
    }

    /// Receives exactly `count` bytes of ASCII.
    func receive(count: Int) throws -> String {
        var text = ""
        while text.utf8.count < count {
            let next = try receiveSome(count - text.utf8.count)
            guard !next.isEmpty else { throw EarlyEnd(received: text) }
            text += next
        }
        return text
    }

    /// Receives until the server closes.
    func receiveToEnd() throws -> String {
        var text = ""
        while true {
            let next = try receiveSome(16 << 10)
            if next.isEmpty { return text }
            text += next
        }
    }

    private func receiveSome(_ count: Int) throws -> String {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = unsafe recv(descriptor, &buffer, count, 0)
        guard received >= 0 else {
            throw errno == ECONNRESET ? Reset() as any Error : SystemCallError("recv")
        }
        return String(decoding: buffer[..<received], as: UTF8.self)
    }
}
