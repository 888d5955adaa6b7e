// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A TCP port of 127.0.0.1 that nothing listens on: connections to it are refused.
///
/// Another process may take it later: give a server port 0 instead where that can be done.
///
/// - Throws: `SystemCallError` if no port is free.
package func freePort() throws -> UInt16 {
    let socket = try ListeningSocket(on: .ipv4, backlog: nil)
    defer { socket.close() }
    return socket.port
}

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

/// Whether something accepts connections to `port` of 127.0.0.1.
package func isListening(on port: UInt16) -> Bool {
    let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    var address = sockaddr_in.loopback(port: port)
    return unsafe withUnsafeSockaddr(of: &address) { unsafe connect(client, $0, $1) } == 0
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
