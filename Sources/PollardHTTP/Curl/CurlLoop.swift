// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// Drives all transfers: an epoll loop around libcurl's `curl_multi_socket_action`.
///
/// Made by the caller's thread, then confined to the loop's own: nothing else holds it.
/// libcurl's callbacks only note what it wants; it is called from the loop alone.
@safe final class CurlLoop {
    private let multi: UnsafeMutableRawPointer
    private let poll: EventPoll
    private let mailbox: Mailbox
    /// When libcurl wants to be called though no socket is ready; nil if not at all.
    private var curlDeadline: Int64?

    /// The options of this loop; its limits may change.
    private(set) var configuration: CurlTransport.Configuration
    /// Which requests run and which wait.
    var limiter: RequestLimiter<Origin>
    /// Every transfer that has not ended, by slot.
    var transfers: [Transfer?] = []
    /// Slots without a transfer.
    var freeSlots: [Int] = []
    /// Transfers that wait for admission.
    var waiting: [UInt64: Transfer] = [:]
    /// Whether requests may wait for admission.
    var mayWait = true
    /// When to look at the time limits of each running transfer, by slot.
    var deadlines = DeadlineQueue()
    /// Handles without a transfer.
    var idleHandles: [CurlHandle] = []
    /// Tasks to tell how their requests ended.
    var settled: [(Submission.Continuation, Submission.Outcome)] = []
    /// Where contents are collected.
    let buffers: BodyBuffers
    /// Which names may be looked up.
    var lookups = LookupBudget()
    /// What is known of certificates.
    var expiries = CertificateExpiries()
    /// The number of transfers ever taken in.
    var transferCount: UInt64 = 0

    /// Makes a loop that is not yet run.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl or the system has no resources.
    init(
        _ configuration: CurlTransport.Configuration, _ mailbox: Mailbox, _ buffers: BodyBuffers
    ) throws(NetworkError) {
        guard Self.isLibraryReady else {
            throw NetworkError(.transport, "libcurl can't be initialised")
        }
        poll = try EventPoll()
        guard let multi = unsafe curl_multi_init() else { throw NetworkError.outOfMemory }
        unsafe self.multi = unsafe multi
        self.configuration = configuration
        self.mailbox = mailbox
        self.buffers = buffers
        limiter = RequestLimiter(.init(configuration.limits))
        // Edge-triggered, so that the descriptor never has to be read.
        guard poll.watch(mailbox.waker.descriptor, for: EPOLLIN.rawValue | EPOLLET.rawValue) else {
            throw NetworkError(system: "watch an eventfd", errno)
        }
        setOptions()
        setLimits()
        // What libcurl doesn't accept, it refuses now and not with each request.
        idleHandles = [try CurlHandle(configuration)]
    }

    deinit {
        // libcurl closes its connections now, and must not call back into what is going away.
        _ = unsafe pollard_curl_multi_set_socket_callback(multi, nil)
        _ = unsafe pollard_curl_multi_set_timer_callback(multi, nil)
        unsafe curl_multi_cleanup(multi)
    }

    /// libcurl's global state, made once, before any other thread can use it.
    private static let isLibraryReady = pollard_curl_global_init() == CURLE_OK

    private func setOptions() {
        set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe pollard_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, user)
        _ = unsafe pollard_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, user)
        _ = unsafe pollard_curl_multi_set_socket_callback(multi) { _, socket, wish, user, mark in
            unsafe CurlLoop.loop(user).watch(socket, wish, mark: mark)
        }
        _ = unsafe pollard_curl_multi_set_timer_callback(multi) { _, milliseconds, user in
            unsafe CurlLoop.loop(user).curlDeadline =
                milliseconds < 0
                ? nil : MonotonicTime.now + Int64(milliseconds) * 1_000_000
            return 0
        }
    }

    private func setLimits() {
        set(CURLMOPT_MAXCONNECTS, max(1, configuration.limits.keptConnections))
        // A guard for HTTP/2, where all requests may else open a connection when one is full.
        set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.limits.maximumPerOrigin))
    }

    /// Puts other limits in force; what is in flight goes on.
    private func update(_ limits: CurlTransport.Limits) {
        configuration.limits = limits
        setLimits()
        limiter.limits = .init(limits)
    }

    private func set(_ option: CURLMoption, _ value: Int) {
        _ = unsafe pollard_curl_multi_set_long(multi, option, value)
    }

    /// The loop that a callback of libcurl is about.
    private static func loop(_ user: UnsafeMutableRawPointer?) -> CurlLoop {
        guard let user = unsafe user else { preconditionFailure("libcurl lost its user pointer") }
        return unsafe Unmanaged<CurlLoop>.fromOpaque(user).takeUnretainedValue()
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
        _ = poll.watch(socket, for: events, isKnown: isKnown)
        if !isKnown {
            // A child process that kept it open would keep it in the epoll instance too; the
            // resolver's sockets are libcurl's own.
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            unsafe curl_multi_assign(multi, socket, multi)
        }
        return 0
    }

    /// Runs until the mailbox is closed; then every transfer is cancelled.
    func run() {
        var mail = Mailbox.Contents()
        while takeMail(&mail) {
            callTimers()
            resumeSettled()
            poll.wait(milliseconds: waitTime) { socket, events in
                if socket != mailbox.waker.descriptor { act(on: socket, events) }
            }
            mailbox.noteAwake()
            finishTransfers()
        }
        cancelAll()
        resumeSettled()
    }

    /// Starts and cancels what was asked for, until there is nothing more.
    ///
    /// - Returns: False if the mailbox was closed.
    private func takeMail(_ mail: inout Mailbox.Contents) -> Bool {
        while true {
            mailbox.take(into: &mail)
            if mail.isEmpty { return true }
            if let limits = mail.limits.take() { update(limits) }
            for submission in mail.submissions { accept(submission) }
            for ticket in mail.cancellations { cancel(ticket) }
            if mail.endsWaiting { endWaiting() }
            for question in mail.questions { question.answer(!mail.isClosed) }
            startWaiting()
            if mail.isClosed { return false }
            mail.submissions.removeAll(keepingCapacity: true)
            mail.cancellations.removeAll(keepingCapacity: true)
            mail.questions.removeAll(keepingCapacity: true)
            mail.endsWaiting = false
        }
    }

    private func act(on socket: Int32, _ events: UInt32) {
        var action: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { action |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { action |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { action |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, action, &running)
    }

    /// Calls libcurl if its deadline is over, and ends transfers that took too long.
    private func callTimers() {
        let now = MonotonicTime.now
        if let deadline = curlDeadline, deadline <= now {
            curlDeadline = nil
            var running: Int32 = 0
            unsafe curl_multi_socket_action(multi, pollard_curl_socket_timeout, 0, &running)
            finishTransfers()
        }
        while let first = deadlines.first, first.deadline <= now {
            checkLimits(of: first.slot, now: now)
        }
        startWaiting()
    }

    /// The milliseconds until the next deadline, rounded up; -1 if there is none.
    private var waitTime: Int32 {
        var deadline = Int64.max
        if let curlDeadline { deadline = curlDeadline }
        if let first = deadlines.first { deadline = min(deadline, first.deadline) }
        if let change = limiter.nextChange { deadline = min(deadline, change) }
        guard deadline < .max else { return -1 }
        let milliseconds = (deadline - MonotonicTime.now + 999_999) / 1_000_000
        return Int32(milliseconds.clamped(to: 0...Int64(Self.longestWait)))
    }

    /// Long enough to cost nothing, in milliseconds.
    private static let longestWait = 60_000

    /// Hands a prepared transfer to libcurl.
    ///
    /// - Returns: Whether libcurl took it.
    func add(_ handle: CurlHandle) -> Bool {
        unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    }

    /// Takes a transfer back from libcurl, done or not; its connection is closed if not.
    func remove(_ handle: CurlHandle) { unsafe curl_multi_remove_handle(multi, handle.easy) }

    /// Ends every transfer that libcurl is done with, and starts those that waited for it.
    private func finishTransfers() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            var code = CURLE_OK
            var user: UnsafeMutableRawPointer?
            guard let easy = unsafe pollard_curl_message_done(message, &code),
                unsafe pollard_curl_get_pointer(easy, CURLINFO_PRIVATE, &user) == CURLE_OK,
                let user = unsafe user
            else { continue }
            finish(unsafe Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue(), code)
        }
        startWaiting()
    }
}
