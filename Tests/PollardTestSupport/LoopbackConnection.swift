// SPDX-License-Identifier: Apache-2.0
import Glibc

/// One connection of a `LoopbackServer`, confined to its thread: reads requests and does steps.
struct LoopbackConnection: Sendable {
    /// The client closed, the server stopped, or a step ended the connection.
    struct Ended: Error {}

    /// `POLLRDHUP` of poll(2), which is not in `Glibc`: the client closed its side.
    private static let clientClosed: Int16 = 0x2000

    private let descriptor: CInt
    private let number: Int
    private let listener: LoopbackListener

    init(_ descriptor: CInt, number: Int, of listener: LoopbackListener) {
        self.descriptor = descriptor
        self.number = number
        self.listener = listener
    }

    /// Answers requests until the connection ends; its owner closes the descriptor.
    func serve() {
        // Without it, small writes of a drip wait for the client's acknowledgement.
        var isOn: CInt = 1
        _ = unsafe setsockopt(
            descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
        var reader = RequestReader(
            takesExpectations: listener.takesExpectations, receive: receive, send: send)
        do {
            for step in listener.greeting.steps { try perform(step, for: nil) }
            while var request = try reader.next() {
                request.connection = number
                request = listener.note(request)
                for step in listener.handler(request).steps { try perform(step, for: request) }
                if !request.keepsConnection { return }
            }
        } catch let error as RequestReader.Malformed {
            let body = Array("\(error.message)\n".utf8)
            try? perform(.respond(400, ["Connection": "close"], body: body), for: nil)
        } catch {}
    }

    private func perform(
        _ step: LoopbackServer.Reply.Step, for request: LoopbackServer.Request?
    ) throws {
        switch step {
        case .respond(let status, let fields, let body):
            try send(AnswerText.answer(status, fields, body: body, to: request))
            if fields["Connection"]?.lowercased() == "close" { throw Ended() }
        case .head(let status, let fields):
            try send(AnswerText.head(status, fields))
        case .bytes(let bytes):
            try send(bytes)
        case .drip(let bytes, let size, let gap):
            try drip(bytes, size: size, gap: gap)
        case .endless(let bytes):
            while true { try send(bytes) }
        case .wait(let gate):
            try wait(for: gate, limit: nil)
        case .open(let gate):
            gate.open()
        case .hang:
            try wait(for: nil, limit: nil)
        case .close:
            throw Ended()
        case .reset:
            // Closing with a linger of 0 s sends RST (socket(7)).
            var now = linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            throw Ended()
        }
    }

    private func drip(_ bytes: [UInt8], size: Int, gap: Duration) throws {
        for start in stride(from: 0, to: bytes.count, by: size) {
            if start > 0 { try wait(for: nil, limit: gap) }
            try send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    /// Sleeps until the gate opens or the limit passes; with neither, for good.
    ///
    /// - Throws: `Ended` if the client closes or the server stops first.
    private func wait(for gate: Gate?, limit: Duration?) throws {
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            var watched = [
                pollfd(fd: listener.stopping.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Self.clientClosed, revents: 0),
                pollfd(fd: gate?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            var remaining: CInt = -1
            if let end {
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { return }
                remaining = CInt((left / .milliseconds(1)).rounded(.up))
            }
            let count = unsafe poll(&watched, nfds_t(watched.count), remaining)
            guard count > 0 else { continue }
            if watched[2].revents != 0 { return }
            throw Ended()
        }
    }

    /// What the client sent next; empty once it has closed.
    private func receive() throws -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Ended() }
            return buffer[..<count]
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor, $0.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Ended() }
            sent += count
            listener.record.update { $0.sentByteCount += count }
        }
    }
}

extension LoopbackServer.Request {
    /// Whether a further request may follow on the connection (RFC 9112, 9.3).
    fileprivate var keepsConnection: Bool {
        let option = self["Connection"]?.lowercased()
        return version == "HTTP/1.0" ? option == "keep-alive" : option != "close"
    }
}
