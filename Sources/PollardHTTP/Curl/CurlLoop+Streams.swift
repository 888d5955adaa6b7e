// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Answers whose content is read while it comes.
extension CurlLoop {
    /// Hands over what came in this round.
    func deliverStreams() {
        for transfer in notices.take() where transfers[transfer.slot] === transfer {
            deliver(transfer)
        }
    }

    /// Hands over what a transfer has for its reader.
    func deliver(_ transfer: Transfer) {
        guard let stream = transfer.stream, stream.isHeadReady, let handle = transfer.handle else {
            return
        }
        if !stream.pending.isEmpty {
            stream.channel.deliver(stream.pending)
            stream.pending = []
        }
        if !stream.isHeadDelivered {
            stream.isHeadDelivered = true
            transfer.submission.settle(.success(response(of: transfer, handle)))
            settled.append(transfer.submission)
        }
    }

    /// Lets a transfer go on whose reader has caught up.
    func resume(_ submission: Submission) {
        let slot = submission.slot.load(ordering: .relaxed)
        guard slot >= 0, let transfer = transfers[slot], let stream = transfer.stream,
            stream.isPaused, let handle = transfer.handle
        else { return }
        stream.isPaused = false
        transfer.noteActivity()
        handle.unpause()
        transfer.pool.mayHaveMessages = true
    }
}

extension Transfer {
    /// Whether this hop may stop for seconds: of large content by HTTP/2 without TLS, libcurl 7.88
    /// at times reads no more until one of its timers wakes it.
    var wouldStall: Bool {
        stream != nil && pool.options.version == .http2 && !hop.url.origin.isSecure
    }
}

extension NetworkError {
    /// A stream is refused that libcurl could not be trusted with.
    static func stallingStream(_ origin: Origin) -> NetworkError {
        NetworkError(
            .invalidRequest, "content of \(origin) can't be streamed by HTTP/2 without TLS",
            hint: "use https or HTTP/1.1, or send the request and get the content as a whole")
    }
}
