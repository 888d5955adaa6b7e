// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Synchronization

/// The life of a transfer: accepted, admitted, run hop by hop, ended exactly once.
extension CurlLoop {
    /// Takes in a request; it runs now or waits.
    func accept(_ submission: Submission) {
        guard !submission.isCancelled.load(ordering: .acquiring) else {
            return refuse(submission, .taskCancelled)
        }
        let pool: ConnectionPool
        do throws(NetworkError) {
            pool = try self.pool(
                for: options(of: submission.request), to: submission.url,
                isStream: submission.channel != nil)
        } catch {
            return refuse(submission, error)
        }
        transferCount += 1
        pool.requestCount += 1
        let transfer = Transfer(
            submission, id: transferCount, in: pool,
            maximumHeaderBytes: configuration.maximumHeaderBytes, buffers: buffers,
            notices: notices)
        if let slot = freeSlots.popLast() {
            transfer.slot = slot
            transfers[slot] = transfer
        } else {
            transfer.slot = transfers.count
            transfers.append(transfer)
        }
        submission.slot.store(transfer.slot, ordering: .relaxed)
        admit(transfer)
    }

    private func refuse(_ submission: Submission, _ error: NetworkError) {
        submission.channel?.finish(error)
        submission.settle(.failure(error))
        settled.append(submission)
    }

    /// Ends the request of a cancelled task, wherever it is.
    func cancel(_ submission: Submission) {
        let slot = submission.slot.load(ordering: .relaxed)
        guard slot >= 0, let transfer = transfers[slot] else { return }
        end(transfer, .failure(.taskCancelled))
    }

    /// Ends all requests, when the transport is closed.
    func cancelAll() {
        for transfer in transfers { if let transfer { end(transfer, .failure(.closed)) } }
    }

    /// Ends the requests that wait for their turn, and from now on those that would have to.
    func endWaiting() {
        mayWait = false
        for transfer in Array(waiting.values) { end(transfer, .failure(.waitEnded)) }
    }

    /// Starts requests for which others have made room.
    func startWaiting() {
        while let id = limiter.next(now: MonotonicTime.now) {
            if let transfer = waiting.removeValue(forKey: id) { start(transfer) }
        }
    }

    /// Runs a transfer, now or when others have made room.
    func admit(_ transfer: Transfer) {
        if limiter.admit(transfer.id, to: transfer.route, now: MonotonicTime.now) {
            start(transfer)
        } else {
            waiting[transfer.id] = transfer
            if !mayWait { end(transfer, .failure(.waitEnded)) }
        }
    }

    /// Sends the current hop of a transfer that was admitted.
    func start(_ transfer: Transfer) {
        let now = MonotonicTime.now
        transfer.isAdmitted = true
        transfer.begin(now: now)
        do throws(NetworkError) {
            let origin = transfer.hop.url.origin
            if transfer.wouldStall { throw NetworkError.stallingStream(origin) }
            let name = transfer.nameToLookUp
            if let name, !lookups.allows(name, now: now) {
                var refused = NetworkError.lookupRefused(name)
                refused.isHostSilent = transfer.redirectCount == 0
                throw refused
            }
            try transfer.openUpload()
            let handle = try transfer.pool.takeHandle(isNew: transfer.hop.digest != nil)
            transfer.handle = handle
            try handle.setAges(configuration.limits)
            try handle.prepare(
                transfer.hop, for: transfer,
                connect: Self.milliseconds(transfer.limits.connect),
                isFresh: transfer.isSentAnew
                    || origin.isSecure && expiries.isCheckDue(of: transfer.route, now: now))
            guard transfer.pool.add(handle) else { throw NetworkError.outOfMemory }
            transfer.mayLookUp = name != nil
            checkLimits(of: transfer.slot, now: now)
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Nanoseconds as libcurl takes them: at least 1, since 0 means no limit, and an int.
    private static func milliseconds(_ nanoseconds: Int64) -> Int {
        Int(((nanoseconds + 999_999) / 1_000_000).clamped(to: 1...Int64(Int32.max)))
    }

    /// Ends the transfer in `slot` if a limit is over, else looks again when one may be.
    func checkLimits(of slot: Int, now: Int64) {
        guard let transfer = transfers[slot], let handle = transfer.handle else { return }
        // Not the server's silence, but the reader's.
        if transfer.stream?.isPaused == true { transfer.noteActivity() }
        if transfer.limits.idle != nil, case let sent = handle.sentByteCount,
            sent != transfer.sentByteCount
        {
            transfer.sentByteCount = sent
            transfer.noteActivity()
        }
        let verdict = transfer.limits.verdict(
            start: transfer.hopStart, lastActivity: transfer.lastActivity, now: now)
        switch verdict {
        case .lookAgain(let deadline): deadlines.advance(slot, to: deadline)
        case .passed(let limit):
            var error = NetworkError(
                limit, of: transfer.request.timeouts, for: transfer.hop.url.origin)
            complete(&error, of: transfer, handle)
            end(transfer, .failure(error))
        }
    }

    /// The connections for a request.
    ///
    /// A stream that is paused would hold up what shares its connection of HTTP/2, or libcurl
    /// would keep what comes for it meanwhile, tens of megabytes. So streams don't share one.
    func pool(
        for options: ConnectionOptions?, to url: RequestURL, isStream: Bool
    ) throws(NetworkError) -> ConnectionPool {
        let version = options?.version ?? configuration.connection.version
        let isShared = !isStream || !url.origin.isSecure || version == .http1
        return try pools.pool(
            for: options, isShared: isShared, configuration, now: MonotonicTime.now)
    }

    /// How a request reaches its server; nil for the transport's own way.
    private func options(of request: HTTPRequest) -> ConnectionOptions? {
        guard request.hasLeftOrigin else { return request.connection }
        return (request.connection ?? configuration.connection).forAnotherOrigin
    }

    /// Notes whether the name was found, or its lookup is left behind.
    private func noteLookup(_ handle: CurlHandle, of transfer: Transfer) {
        guard transfer.mayLookUp, let host = transfer.nameToLookUp else { return }
        if handle.isNameFound || transfer.isConnected {
            lookups.noteFound(host)
        } else if !transfer.isLookupOver {
            lookups.noteAbandoned(host, now: MonotonicTime.now)
        }
    }

    /// Lets go of the handle of a hop that has ended.
    func giveBack(_ handle: CurlHandle, of transfer: Transfer) {
        transfer.pool.giveBack(handle)
        noteLookup(handle, of: transfer)
        transfer.handle = nil
    }

    /// Tells the tasks whose requests have ended, together at the end of a round.
    ///
    /// Each resumption may wake a thread of the pool, which with few cores takes this thread's
    /// place: told one by one in the middle of a round, it would find one task and sleep again.
    func resumeSettled() {
        guard !settled.isEmpty else { return }
        // Let go of at once, so that the task is the last to hold it.
        for place in settled.indices { settled[place].take()?.resume() }
        settled.removeAll(keepingCapacity: true)
    }

    /// Ends a transfer, once; its task is told at the end of the round.
    func end(_ transfer: Transfer, _ result: Result<HTTPResponse, NetworkError>) {
        deliver(transfer)
        if let handle = transfer.handle { giveBack(handle, of: transfer) }
        // Also without a handle, which there may have been no memory for.
        if transfer.isAdmitted {
            limiter.release(transfer.route)
        } else if waiting.removeValue(forKey: transfer.id) != nil {
            limiter.withdraw(transfer.id, from: transfer.route)
        }
        transfer.pool.requestCount -= 1
        transfers[transfer.slot] = nil
        freeSlots.append(transfer.slot)
        transfer.submission.slot.store(-1, ordering: .relaxed)
        if let stream = transfer.stream {
            if case .failure(let error) = result {
                stream.channel.finish(error)
            } else {
                stream.channel.finish(nil)
            }
            if stream.isHeadDelivered { return }
        }
        transfer.submission.settle(result)
        settled.append(transfer.submission)
    }
}
