// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import Testing

/// A real name server (RFC 1035) on loopback, for programs that it is the only one of.
///
/// It gives the addresses for whatever name in turn, and the last one from then on. That of the
/// system can't be replaced for one thread: so a program is started in a mount namespace of its
/// own, where `/etc/resolv.conf` names this server.
package final class NameServer: Sendable {
    /// An address that a name has.
    package enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
    }

    private let addresses: [Address]
    private let descriptor: CInt
    private let host: String
    private let directory: TemporaryDirectory
    private let threads = ThreadCount()
    private let stopping: Gate
    private let lookups = Watched(0)

    /// Starts the server; needs root, since its port is below 1024.
    ///
    /// - Throws: `SystemCallError` if there is no address for it.
    package init(_ first: Address, _ rest: Address...) throws {
        addresses = [first] + rest
        stopping = try Gate()
        directory = try TemporaryDirectory()
        (descriptor, host) = try Self.socket()
        try directory.write("hosts: files dns\n", to: "nsswitch.conf")
        // Loopback loses nothing: a second try would only be a busy machine's, and be counted.
        try directory.write(
            "nameserver \(host)\noptions timeout:30 attempts:1\n", to: "resolv.conf")
        try threads.start { self.answerAll() }
    }

    deinit { stop() }

    /// Ends the server.
    package func stop() {
        guard !stopping.isOpen else { return }
        stopping.open()
        threads.waitForEnd()
        close(descriptor)
    }

    /// How often an address was asked for: once for each lookup, which also asks for that of IPv6.
    package var lookupCount: Int { lookups.value }

    /// Starts a program whose names this server resolves.
    ///
    /// - Throws: `SystemCallError` if it can't be started.
    package func start(_ program: String, _ arguments: [String]) throws -> Subprocess {
        let script = """
            mount --bind "$1" "$(realpath /etc/resolv.conf)"
            mount --bind "$2" "$(realpath /etc/nsswitch.conf)"
            shift 2
            exec "$@"
            """
        return try Subprocess(
            "/usr/bin/unshare",
            [
                "--mount", "--", "/bin/sh", "-ec", script, "sh", directory.path(of: "resolv.conf"),
                directory.path(of: "nsswitch.conf"), program,
            ] + arguments)
    }

    // MARK: - The socket

    /// Binds to an address of loopback that nobody else serves names on.
    private static func socket() throws -> (CInt, String) {
        let descriptor = Glibc.socket(
            AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        for _ in 0..<20 {
            // 127.53.x.y, port 53.
            let (x, y) = (UInt32.random(in: 0...255), UInt32.random(in: 1...254))
            var own = sockaddr_in.loopback(port: 53)
            own.sin_addr.s_addr = (0x7F35_0000 | x << 8 | y).bigEndian
            let bound = unsafe withUnsafeSockaddr(of: &own) { unsafe bind(descriptor, $0, $1) }
            if bound == 0 { return (descriptor, "127.53.\(x).\(y)") }
        }
        let error = SystemCallError("bind to port 53")
        close(descriptor)
        throw error
    }

    private func answerAll() {
        var ready = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopping.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard unsafe poll(&ready, 2, -1) >= 0 || errno == EINTR else { return }
            if ready[1].revents != 0 { return }
            if ready[0].revents != 0 { answerOne() }
        }
    }

    private func answerOne() {
        var question = [UInt8](repeating: 0, count: Self.maximumBytes)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeSockaddr(of: &peer) { pointer, _ in
            CInt(unsafe recvfrom(descriptor, &question, Self.maximumBytes, 0, pointer, &length))
        }
        guard count > 0, let reply = reply(to: Array(question.prefix(Int(count)))) else { return }
        _ = unsafe withUnsafeSockaddr(of: &peer) { pointer, length in
            CInt(unsafe sendto(descriptor, reply, reply.count, 0, pointer, length))
        }
    }

    /// The most bytes of a message over UDP (RFC 1035, 2.3.4).
    private static let maximumBytes = 512

    // MARK: - Messages

    /// The answer to a message with one question; nil if it has none.
    private func reply(to message: [UInt8]) -> [UInt8]? {
        // The header has 12 bytes; labels with their lengths follow, an empty one, type and class.
        var end = 12
        while end < message.count, message[end] != 0 { end += 1 + Int(message[end]) }
        guard end + 5 <= message.count else { return nil }
        let type = UInt16(message[end + 1]) << 8 | UInt16(message[end + 2])
        let data = data(forType: type)
        let count: UInt8 = data == nil ? 0 : 1
        // A response without error, recursion desired and available; one question.
        var reply = message[0...1] + [0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]
        reply += message[12..<(end + 5)]
        if let data {
            // The name of the question, type, class IN, not to be kept (TTL 0).
            reply += [0xC0, 12, 0, UInt8(type), 0, 1, 0, 0, 0, 0, 0, UInt8(data.count)] + data
        }
        return Array(reply)
    }

    private func data(forType type: UInt16) -> [UInt8]? {
        switch type {
        case 1:  // A, which is asked first.
            let count = lookups.update { count in
                count += 1
                return count
            }
            return address(ofLookup: count) == .ipv4 ? [127, 0, 0, 1] : nil
        case 28:  // AAAA
            return address(ofLookup: lookups.value) == .ipv6
                ? Array(repeating: 0, count: 15) + [1] : nil
        default: return nil
        }
    }

    private func address(ofLookup count: Int) -> Address {
        addresses[min(max(count, 1), addresses.count) - 1]
    }
}

extension Trait where Self == ConditionTrait {
    /// Leaves a test out, and says so, for who can't have a name server: they aren't root.
    package static var needsNameServer: Self {
        .enabled(
            if: geteuid() == 0,
            "needs root, for a name server on loopback in a mount namespace: run the tests with sudo"
        )
    }
}
