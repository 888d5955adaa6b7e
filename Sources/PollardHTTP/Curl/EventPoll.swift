// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// An epoll instance: O(1) for each wake-up, however many sockets wait (epoll(7)).
@safe final class EventPoll {
    private let descriptor: Int32
    private let ready: UnsafeMutableBufferPointer<pollard_epoll_ready>

    /// Makes an empty instance.
    ///
    /// - Throws: `NetworkError.Code.transport` without a descriptor or memory for it.
    init() throws(NetworkError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw NetworkError(system: "make an epoll instance", errno) }
        unsafe ready = .allocate(capacity: pollard_epoll_batch)
    }

    deinit {
        close(descriptor)
        unsafe ready.deallocate()
    }

    /// Watches `socket` for `events`.
    ///
    /// - Parameters:
    ///   - socket: An open descriptor.
    ///   - events: EPOLLIN and the like (epoll_ctl(2)).
    ///   - mark: Told with each event of the socket.
    ///   - isKnown: Whether it is watched already, probably: a wrong guess costs a system call.
    /// - Returns: Whether the kernel accepted it.
    func watch(
        _ socket: Int32, for events: UInt32, mark: Int, isKnown: Bool = false
    ) -> Bool {
        let mark = UInt32(truncatingIfNeeded: mark)
        let (first, second) =
            isKnown ? (EPOLL_CTL_MOD, EPOLL_CTL_ADD) : (EPOLL_CTL_ADD, EPOLL_CTL_MOD)
        return pollard_epoll_control(descriptor, first, socket, events, mark) == 0
            || pollard_epoll_control(descriptor, second, socket, events, mark) == 0
    }

    /// Stops watching `socket`; it may be closed already.
    func forget(_ socket: Int32) {
        _ = pollard_epoll_control(descriptor, EPOLL_CTL_DEL, socket, 0, 0)
    }

    /// Waits until a socket is ready.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest wait; -1 for ever.
    ///   - body: Called for each socket that is ready, with its events and its mark.
    func wait(
        milliseconds: Int32, _ body: (_ socket: Int32, _ events: UInt32, _ mark: Int) -> Void
    ) {
        let count = unsafe pollard_epoll_wait(descriptor, ready.baseAddress, milliseconds)
        // A signal may end the wait: then there is nothing to do but to wait again.
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = unsafe ready[index]
            body(event.descriptor, event.events, Int(event.mark))
        }
    }
}

/// A descriptor that wakes a thread out of `epoll_wait` (eventfd(2)).
final class Waker: Sendable {
    /// What to watch for reading.
    let descriptor: Int32

    /// Makes a waker.
    ///
    /// - Throws: `NetworkError.Code.transport` without a descriptor for it.
    init() throws(NetworkError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw NetworkError(system: "make an eventfd", errno) }
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable, anew each time for who watches edges.
    func wake() { eventfd_write(descriptor, 1) }
}

extension NetworkError {
    /// A system call failed.
    init(system action: String, _ error: Int32) {
        self.init(.transport, "cannot \(action): \(Self.text(ofSystemError: error))")
    }

    /// The system's text for an errno value, as a clause.
    static func text(ofSystemError error: Int32) -> String {
        guard let text = unsafe strerror(error) else { return "error \(error)" }
        return unsafe String(cString: text).lowercasedFirst
    }
}
