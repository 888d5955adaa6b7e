// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The part of `LoopbackServer` that its threads share: accepts, counts, and closes everything.
final class LoopbackListener: Sendable {
    private struct Open {
        /// Descriptors of connections whose thread still runs.
        var connections: Set<CInt> = []
        var isStopped = false
    }

    let socket: ListeningSocket
    let record = Watched(LoopbackServer.Record())
    /// Opens when the server stops, and wakes every thread that waits.
    let stopping: Gate
    let greeting: LoopbackServer.Reply
    let takesExpectations: Bool
    let handler: LoopbackServer.Handler
    private let open = Mutex(Open())
    private let threads = ThreadCount()

    init(
        on address: LoopbackAddress, port: UInt16, greeting: LoopbackServer.Reply,
        takesExpectations: Bool, handler: @escaping LoopbackServer.Handler
    ) throws {
        stopping = try Gate()
        socket = try ListeningSocket(on: address, port: port, backlog: SOMAXCONN)
        self.greeting = greeting
        self.takesExpectations = takesExpectations
        self.handler = handler
    }

    /// Starts to accept connections.
    func start() throws {
        try threads.start { self.acceptConnections() }
    }

    /// Closes the port and every connection; returns when all threads have ended.
    func stop() {
        let isFirst = open.withLock { open in
            defer { open.isStopped = true }
            // Wakes a thread that sends or receives; the thread itself closes the descriptor.
            for descriptor in open.connections { shutdown(descriptor, CInt(SHUT_RDWR)) }
            return !open.isStopped
        }
        // At a second call the number of the descriptor may be another's.
        guard isFirst else { return threads.waitForEnd() }
        stopping.open()
        shutdown(socket.descriptor, CInt(SHUT_RDWR))
        threads.waitForEnd()
        socket.close()
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(socket.descriptor, nil, nil)
            if descriptor < 0 && (errno == EINTR || errno == ECONNABORTED) { continue }
            guard descriptor >= 0 else { return }
            closeOnExec(descriptor)
            guard admit(descriptor) else {
                close(descriptor)
                return
            }
            let number = record.update { record in
                record.connectionCount += 1
                record.openConnectionCount += 1
                return record.connectionCount
            }
            let connection = LoopbackConnection(descriptor, number: number, of: self)
            do {
                try threads.start {
                    connection.serve()
                    self.finish(descriptor)
                }
            } catch {
                finish(descriptor)
            }
        }
    }

    private func admit(_ descriptor: CInt) -> Bool {
        open.withLock { open in
            if !open.isStopped { open.connections.insert(descriptor) }
            return !open.isStopped
        }
    }

    private func finish(_ descriptor: CInt) {
        open.withLock { open in
            open.connections.remove(descriptor)
            close(descriptor)
        }
        record.update { $0.openConnectionCount -= 1 }
    }

    /// Notes a request and gives it its number.
    func note(_ request: LoopbackServer.Request) -> LoopbackServer.Request {
        record.update { record in
            var request = request
            request.number = record.requests.count + 1
            record.requests.append(request)
            return request
        }
    }
}
