// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// A TCP port of 127.0.0.1 that nothing listens on: connections to it are refused.
///
/// Another process may take it later: give a server port 0 instead where that can be done.
///
/// - Throws: `SystemCallError` if no port is free.
package func freePort() throws -> UInt16 { try freePorts(1)[0] }

/// A port that never answers: attempts to connect to it hang until their time limit.
///
/// The kernel drops the handshake of whoever finds the queue of a listening socket full.
package final class UnansweredPort: Sendable {
    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let descriptors: [CInt]

    /// Opens the port.
    ///
    /// - Throws: `SystemCallError` if no port is free.
    package init() throws {
        let listener = try ListeningSocket(on: .ipv4, backlog: 0)
        port = listener.port
        var descriptors = [listener.descriptor]
        // A backlog of 0 holds one connection (listen(2)); the second finds it full.
        for _ in 0..<2 {
            let client = socket(
                AF_INET,
                CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
                    | CInt(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in.loopback(port: listener.port)
            _ = unsafe withUnsafeSockaddr(of: &address) { unsafe connect(client, $0, $1) }
            descriptors.append(client)
        }
        self.descriptors = descriptors
    }

    deinit { stop() }

    /// Closes the port; called by itself at the end.
    private func stop() {
        for descriptor in descriptors { close(descriptor) }
    }
}

/// TCP ports of 127.0.0.1 that nothing listens on, each another.
///
/// - Throws: `SystemCallError` if so many are not free.
func freePorts(_ count: Int) throws -> [UInt16] {
    var sockets: [ListeningSocket] = []
    defer { for socket in sockets { socket.close() } }
    for _ in 0..<count { sockets.append(try ListeningSocket(on: .ipv4, backlog: nil)) }
    return sockets.map(\.port)
}

extension Subprocess {
    /// Whether this process itself listens on `port` of 127.0.0.1 (proc(5)).
    ///
    /// Somebody may have taken a port that was free: to connect would tell no difference.
    func isListening(on port: UInt16) -> Bool {
        let files = FileManager.default
        let own = "/proc/\(processID)/fd"
        guard let descriptors = try? files.contentsOfDirectory(atPath: own) else { return false }
        let sockets = listeningSockets(on: port)
        return descriptors.contains { name in
            (try? files.destinationOfSymbolicLink(atPath: "\(own)/\(name)"))
                .map { sockets.contains($0) } ?? false
        }
    }

    /// The sockets, as links in /proc name them, that listen on `port` of 127.0.0.1.
    private func listeningSockets(on port: UInt16) -> [String] {
        // Foundation reads no more than the first page of such a file.
        let descriptor = unsafe open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var table: [UInt8] = []
        Pipe.readToEnd(descriptor) { table += $0 }
        let number = String(port, radix: 16, uppercase: true)
        let address = "0100007F:" + String(repeating: "0", count: 4 - number.count) + number
        return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            let isListening = columns.count > 9 && columns[1] == address && columns[3] == "0A"
            return isListening ? "socket:[\(columns[9])]" : nil
        }
    }
}

/// A TCP port of 127.0.0.1 to which connections are refused, as long as the object lives.
///
/// It is bound, so that no other server gets it, but nobody listens.
package final class RefusingPort: Sendable {
    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let socket: ListeningSocket

    /// Takes the port.
    ///
    /// - Throws: `SystemCallError` if no port is free.
    package init() throws {
        socket = try ListeningSocket(on: .ipv4, backlog: nil)
        port = socket.port
    }

    deinit { socket.close() }
}

/// A port that accepts every connection and never says a word, without a thread for each.
///
/// The kernel completes the handshakes; nobody ever takes a connection from its queue.
package final class SilentPort: Sendable {
    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let socket: ListeningSocket

    /// Opens the port.
    ///
    /// - Throws: `SystemCallError` if no port is free.
    package init() throws {
        socket = try ListeningSocket(on: .ipv4, backlog: SOMAXCONN)
        port = socket.port
    }

    deinit { socket.close() }
}
