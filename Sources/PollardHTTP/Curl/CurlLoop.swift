// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// Drives all transfers: an epoll loop around libcurl's `curl_multi_socket_action`.
///
/// Made by the caller's thread, then confined to the loop's own: nothing else holds it.
/// libcurl's callbacks only note what it wants; it is called from the loop alone.
final class CurlLoop {
    private let poll: EventPoll
    private let mailbox: Mailbox
    /// The connections, by the options that they were made with.
    var pools: ConnectionPools

    /// The options of this loop; its limits may change.
    private(set) var configuration: CurlTransport.Configuration
    /// Which requests run and which wait.
    var limiter: RequestLimiter<Route>
    /// Every transfer that has not ended, by slot.
    var transfers: [Transfer?] = []
    /// Slots without a transfer.
    var freeSlots: [Int] = []
    /// Transfers that wait for admission.
    var waiting: [UInt64: Transfer] = [:]
    /// Whether requests may wait for admission.
    var mayWait = true
    /// When to look at the time limits of each running transfer, by slot; where there is none any
    /// more, the look is in vain.
    var deadlines = DeadlineQueue()
    /// Requests that have ended, whose tasks are to be told.
    var settled: [Submission?] = []
    /// Transfers with content for a reader.
    let notices = StreamNotices()
    /// Where contents are collected.
    let buffers: AnswerBuffers
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
        _ configuration: CurlTransport.Configuration, _ mailbox: Mailbox, _ buffers: AnswerBuffers
    ) throws(NetworkError) {
        guard Self.isLibraryReady else {
            throw NetworkError(.transport, "libcurl can't be initialised")
        }
        poll = try EventPoll()
        pools = try ConnectionPools(configuration, poll)
        self.configuration = configuration
        self.mailbox = mailbox
        self.buffers = buffers
        limiter = RequestLimiter(.init(configuration.limits))
        // Edge-triggered, so that the descriptor never has to be read.
        guard
            poll.watch(
                mailbox.waker.descriptor, for: EPOLLIN.rawValue | EPOLLET.rawValue, mark: 0)
        else { throw NetworkError(system: "watch an eventfd", errno) }
    }

    /// libcurl's global state, made once, before any other thread can use it.
    private static let isLibraryReady = pollard_curl_global_init() == CURLE_OK

    /// Puts other limits in force; what is in flight goes on.
    private func update(_ limits: CurlTransport.Limits) {
        configuration.limits = limits
        for pool in pools.all { pool?.keepConnections(limits.keptConnections) }
        limiter.limits = .init(limits)
    }

    /// Runs until the mailbox is closed; then every transfer is cancelled.
    func run() {
        var mail = Mailbox.Contents()
        while takeMail(&mail) {
            callTimers()
            deliverStreams()
            resumeSettled()
            poll.wait(milliseconds: waitTime) { socket, events, mark in
                if socket != mailbox.waker.descriptor { pools[mark]?.act(on: socket, events) }
            }
            mailbox.noteAwake()
            finishTransfers()
        }
        cancelAll()
        resumeSettled()
        // Those that were noted know the list, and so would keep each other and all sockets.
        _ = notices.take()
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
            for submission in mail.cancellations { cancel(submission) }
            for submission in mail.resumptions { resume(submission) }
            if mail.endsWaiting { endWaiting() }
            for question in mail.questions { question.answer(!mail.isClosed) }
            startWaiting()
            if mail.isClosed { return false }
            mail.submissions.removeAll(keepingCapacity: true)
            mail.cancellations.removeAll(keepingCapacity: true)
            mail.resumptions.removeAll(keepingCapacity: true)
            mail.questions.removeAll(keepingCapacity: true)
            mail.endsWaiting = false
        }
    }

    /// Calls libcurl if its deadline is over, and ends transfers that took too long.
    private func callTimers() {
        let now = MonotonicTime.now
        for pool in pools.all { pool?.callTimer(now: now) }
        finishTransfers()
        while let first = deadlines.first, first.deadline <= now {
            deadlines.remove(first.slot)
            checkLimits(of: first.slot, now: now)
        }
        startWaiting()
    }

    /// The milliseconds until the next deadline, rounded up; -1 if there is none.
    private var waitTime: Int32 {
        var deadline = Int64.max
        for pool in pools.all { deadline = min(deadline, pool?.deadline ?? .max) }
        if let first = deadlines.first { deadline = min(deadline, first.deadline) }
        if let change = limiter.nextChange { deadline = min(deadline, change) }
        guard deadline < .max else { return -1 }
        let milliseconds = (deadline - MonotonicTime.now + 999_999) / 1_000_000
        return Int32(milliseconds.clamped(to: 0...Int64(Self.longestWait)))
    }

    /// Long enough to cost nothing, in milliseconds.
    private static let longestWait = 60_000

    /// Ends every transfer that libcurl is done with, and starts those that waited for it.
    private func finishTransfers() {
        // What finishes may open another pool.
        for case let pool? in pools.all where pool.mayHaveMessages {
            while let (transfer, code) = pool.nextDone() { finish(transfer, code) }
        }
        startWaiting()
    }
}
