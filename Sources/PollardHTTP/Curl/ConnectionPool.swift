// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// Owns a multi handle of libcurl: the connections of all requests with equal options.
///
/// libcurl itself compares most options before it uses a connection again, but not all: it would
/// lend a proxy's tunnel made with one password to a request with another. It also keeps the CA
/// certificates of one file only, parsed, for each multi handle. Confined to the loop's thread.
@safe final class ConnectionPool {
    /// Names the options, never used again for others.
    let id: UInt64
    /// Where the loop keeps this pool; the mark of its sockets.
    let slot: Int
    /// How servers are reached.
    let options: ConnectionOptions
    /// Whether several requests share a connection of HTTP/2 at the same time.
    let isShared: Bool
    /// When libcurl wants to be called though no socket is ready; nil if not at all.
    private(set) var deadline: Int64?
    /// Whether libcurl may have messages.
    var mayHaveMessages = false
    /// Requests of this pool that have not ended.
    var requestCount = 0
    /// When a request was last taken in.
    var lastUse: Int64 = 0

    private let multi: UnsafeMutableRawPointer
    private let poll: EventPoll
    private let configuration: CurlTransport.Configuration
    /// Handles without a transfer.
    private var idleHandles: [CurlHandle] = []

    /// The most handles kept for later, each about 5 kB: as many as usually run at once.
    static let maximumIdleHandles = 256

    /// Makes a pool without connections.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    init(
        id: UInt64, slot: Int, options: ConnectionOptions, isShared: Bool,
        _ configuration: CurlTransport.Configuration, _ poll: EventPoll
    ) throws(NetworkError) {
        guard let multi = unsafe curl_multi_init() else { throw NetworkError.outOfMemory }
        unsafe self.multi = unsafe multi
        self.id = id
        self.slot = slot
        self.options = options
        self.isShared = isShared
        self.configuration = configuration
        self.poll = poll
        setOptions()
        keepConnections(configuration.limits.keptConnections)
        // What libcurl doesn't accept, it refuses now and not with each request.
        idleHandles = [try CurlHandle(configuration, options)]
    }

    deinit {
        // libcurl closes its connections now, and must not call back into what is going away.
        _ = unsafe pollard_curl_multi_set_socket_callback(multi, nil)
        _ = unsafe pollard_curl_multi_set_timer_callback(multi, nil)
        unsafe curl_multi_cleanup(multi)
    }

    private func setOptions() {
        set(CURLMOPT_PIPELINING, Int(isShared ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING))
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe pollard_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, user)
        _ = unsafe pollard_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, user)
        _ = unsafe pollard_curl_multi_set_socket_callback(multi) { _, socket, wish, user, mark in
            unsafe ConnectionPool.pool(user).watch(socket, wish, mark: mark)
        }
        _ = unsafe pollard_curl_multi_set_timer_callback(multi) { _, milliseconds, user in
            unsafe ConnectionPool.pool(user).deadline =
                milliseconds < 0
                ? nil : MonotonicTime.now + Int64(milliseconds) * 1_000_000
            return 0
        }
    }

    /// Sets how many connections are kept between requests.
    func keepConnections(_ count: Int) { set(CURLMOPT_MAXCONNECTS, max(1, count)) }

    private func set(_ option: CURLMoption, _ value: Int) {
        _ = unsafe pollard_curl_multi_set_long(multi, option, value)
    }

    /// The pool that a callback of libcurl is about.
    private static func pool(_ user: UnsafeMutableRawPointer?) -> ConnectionPool {
        guard let user = unsafe user else { preconditionFailure("libcurl lost its user pointer") }
        return unsafe Unmanaged<ConnectionPool>.fromOpaque(user).takeUnretainedValue()
    }

    /// Does as libcurl wishes with a socket; its mark says whether it is watched already.
    private func watch(
        _ socket: curl_socket_t, _ wish: Int32, mark: UnsafeMutableRawPointer?
    ) -> Int32 {
        if wish == CURL_POLL_REMOVE {
            poll.forget(socket)
            return 0
        }
        var events: UInt32 = 0
        if wish & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if wish & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        let isKnown = unsafe mark != nil
        // libcurl would take a failure for the end of all requests, for ever. So this one waits in
        // vain, until its time is over.
        _ = poll.watch(socket, for: events, mark: slot, isKnown: isKnown)
        if !isKnown {
            // A child process that kept it open would keep it in the epoll instance too; the
            // resolver's sockets are libcurl's own.
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            unsafe curl_multi_assign(multi, socket, multi)
        }
        return 0
    }

    /// Tells libcurl what happened on a socket.
    func act(on socket: Int32, _ events: UInt32) {
        var action: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { action |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { action |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { action |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, action, &running)
        mayHaveMessages = true
    }

    /// Calls libcurl if its deadline is over.
    func callTimer(now: Int64) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, pollard_curl_socket_timeout, 0, &running)
        mayHaveMessages = true
    }

    /// Hands a prepared transfer to libcurl.
    ///
    /// - Returns: Whether libcurl took it.
    func add(_ handle: CurlHandle) -> Bool {
        unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    }

    /// The next transfer that libcurl is done with, and how it ended; nil if there is none.
    func nextDone() -> (Transfer, CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            var code = CURLE_OK
            var user: UnsafeMutableRawPointer?
            guard let easy = unsafe pollard_curl_message_done(message, &code),
                unsafe pollard_curl_get_pointer(easy, CURLINFO_PRIVATE, &user) == CURLE_OK,
                let user = unsafe user
            else { continue }
            return (unsafe Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue(), code)
        }
        mayHaveMessages = false
        return nil
    }

    /// A handle without a transfer.
    ///
    /// - Parameter isNew: Whether it must not know any server: libcurl keeps the challenges that it
    ///   has seen in a handle, also those that nobody wanted to answer.
    /// - Returns: The handle; it is given back with `giveBack`.
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func takeHandle(isNew: Bool) throws(NetworkError) -> CurlHandle {
        if !isNew, let idle = idleHandles.popLast() { return idle }
        return try CurlHandle(configuration, options)
    }

    /// Takes a transfer back from libcurl, done or not; its connection is closed if not.
    func giveBack(_ handle: CurlHandle) {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        guard !handle.isSpent, idleHandles.count < Self.maximumIdleHandles else { return }
        handle.forgetContent()
        idleHandles.append(handle)
    }
}
