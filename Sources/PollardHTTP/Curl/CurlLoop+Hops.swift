// SPDX-License-Identifier: Apache-2.0
internal import CCurl

/// What comes after a hop: the end, or the next.
extension CurlLoop {
    /// Ends a transfer that libcurl is done with, or sends it on after a redirect.
    func finish(_ transfer: Transfer, _ code: CURLcode) {
        guard let handle = transfer.handle else { return }
        transfer.isLookupOver = true
        if code == CURLE_OK { _ = transfer.settleProvisional() }
        let origin = transfer.hop.url.origin
        if origin.isSecure, handle.madeConnection, let expiry = handle.certificateExpiry {
            expiries.note(expiry, of: transfer.route, now: MonotonicTime.now)
        }
        if code == CURLE_OK, !transfer.isContentComplete {
            end(transfer, .failure(error(of: transfer, handle, CURLE_BAD_CONTENT_ENCODING)))
        } else if code == CURLE_OK || transfer.refusal == .redirectIsKnown {
            finishHop(transfer, handle)
        } else if handle.gaveUpOnKeptConnections(code), !transfer.isSentAnew {
            sendAnew(transfer, handle)
        } else {
            end(transfer, .failure(error(of: transfer, handle, code)))
        }
    }

    private func finishHop(_ transfer: Transfer, _ handle: CurlHandle) {
        let request = transfer.request
        let response = response(of: transfer, handle)
        guard request.maximumRedirects > 0 else { return end(transfer, .success(response)) }
        do throws(NetworkError) {
            let next = try transfer.hop.next(
                after: response.status, response.fields, credentials: request.credentialFields)
            guard let next else { return end(transfer, .success(response)) }
            guard transfer.redirectCount < request.maximumRedirects else {
                throw NetworkError(
                    tooManyRedirects: response, of: request, from: transfer.submission.url.origin)
            }
            follow(next, transfer, handle)
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Sends a hop once more, on a connection of its own.
    ///
    /// A server that closes a connection in good order (GOAWAY; RFC 9113, 6.8) says so while
    /// requests are on their way, and libcurl may try the same one until it gives up.
    private func sendAnew(_ transfer: Transfer, _ handle: CurlHandle) {
        transfer.spentBefore = transfer.spent(now: MonotonicTime.now)
        giveBack(handle, of: transfer)
        transfer.isSentAnew = true
        start(transfer)
    }

    private func follow(_ next: Hop, _ transfer: Transfer, _ handle: CurlHandle) {
        limiter.release(transfer.route)
        transfer.spentBefore = transfer.spent(now: MonotonicTime.now)
        transfer.redirectCount += 1
        transfer.isSentAnew = false
        giveBack(handle, of: transfer)
        transfer.isAdmitted = false
        let leaves = next.url.origin != transfer.hop.url.origin
        transfer.hop = next
        if leaves {
            do throws(NetworkError) {
                try leaveOrigin(transfer)
            } catch {
                return end(transfer, .failure(error))
            }
        }
        guard transfer.spentBefore < transfer.request.timeouts.total.nanoseconds else {
            var error = NetworkError(
                .total, of: transfer.request.timeouts, for: next.url.origin)
            error.timing.total = .nanoseconds(transfer.spentBefore)
            return end(transfer, .failure(error))
        }
        admit(transfer)
    }

    /// Goes on without what the options had for the first origin only.
    private func leaveOrigin(_ transfer: Transfer) throws(NetworkError) {
        let pool = try pool(
            for: transfer.pool.options.forAnotherOrigin, to: transfer.hop.url,
            isStream: transfer.stream != nil)
        transfer.pool.requestCount -= 1
        transfer.pool = pool
        pool.requestCount += 1
    }
}
