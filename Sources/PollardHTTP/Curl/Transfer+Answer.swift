// SPDX-License-Identifier: Apache-2.0
internal import PollardCompression

/// What libcurl calls with the answer, piece by piece.
extension Transfer {
    /// Takes one line of the head.
    ///
    /// - Returns: Whether to go on.
    func receiveLine(_ line: Span<UInt8>) -> Bool {
        noteActivity()
        if isProvisional, ReceivedHead.startsHead(line) {
            isProvisional = false
            head.startAnew()
        }
        let completesHead = head.receive(line)
        guard head.byteCount <= maximumHeaderBytes else { return refuse(.headersTooLarge) }
        guard head.status != 101 else { return refuse(.switchedProtocols) }
        guard completesHead else { return true }
        guard isVersionAccepted else { return refuse(.otherVersion) }
        isProvisional = mayBeSentAgain
        return isProvisional || beginBody()
    }

    /// Whether libcurl may send the request again after this answer.
    ///
    /// With a proof after a 401; without `Expect` after a 417; and with its content where it first
    /// asked without, to be proved to, and nobody wants a proof.
    private var mayBeSentAgain: Bool {
        switch head.status {
        case 200..<300: hop.digest != nil && (uploadSource != nil || hop.contentToSend != nil)
        case 401: hop.digest != nil
        case 417: uploadSource != nil
        default: false
        }
    }

    /// Takes a provisional answer for the final one: libcurl does not send the request again.
    ///
    /// - Returns: Whether to go on.
    func settleProvisional() -> Bool {
        guard isProvisional else { return true }
        isProvisional = false
        return beginBody()
    }

    /// libcurl falls back to HTTP/1.1 without a word, also where it is told not to.
    private var isVersionAccepted: Bool {
        pool.options.version != .http2 || handle?.version == "HTTP/2"
    }

    /// Takes a piece of the content as it was sent.
    ///
    /// - Returns: Whether it was taken.
    func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Receipt {
        noteActivity()
        guard settleProvisional() else { return .refused }
        if isRedirect {
            discardedByteCount += chunk.count
            return receipt(
                discardedByteCount <= Self.maximumRedirectBody || refuse(.redirectIsKnown))
        }
        if let stream {
            guard unsafe stream.receive(chunk) else { return .postponed }
            notices.note(self)
            return .taken
        }
        guard decoding != nil else { return unsafe receipt(keep(chunk)) }
        do {
            return receipt(try unsafe decoding?.decode(chunk) { unsafe keep($0) } ?? true)
        } catch {
            return receipt(refuse(.malformedContent))
        }
    }

    private func receipt(_ isTaken: Bool) -> Receipt { isTaken ? .taken : .refused }

    /// Whether the compressed content, if it is, came to its end.
    var isContentComplete: Bool { decoding?.isComplete ?? true }

    private func keep(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard body.count + chunk.count <= request.maximumBodyBytes else {
            return refuse(.bodyTooLarge)
        }
        unsafe body.append(contentsOf: chunk)
        return true
    }

    /// Judges the declared length before any content is received.
    private func beginBody() -> Bool {
        isRedirect =
            request.maximumRedirects > 0 && Hop.location(head.status, head.fields) != nil
        guard beginContent() else { return false }
        if let stream, !isRedirect {
            // The reader decompresses.
            decoding = nil
            stream.isHeadReady = true
            notices.note(self)
        }
        return true
    }

    private func beginContent() -> Bool {
        guard hop.method != .head, head.status != 204, head.status != 304 else { return true }
        if !isRedirect, !beginDecoding() { return false }
        let length: Int
        switch head.contentLength {
        case .bytes(let count): length = count
        case .invalid: return refuse(.invalidLength)
        case .open:
            if !isRedirect, stream == nil { body = buffers.takeBody() }
            return true
        }
        if isRedirect {
            return length <= Self.maximumRedirectBody || refuse(.redirectIsKnown)
        }
        // The length of compressed content says nothing: `keep` counts what comes out of it.
        guard decoding != nil || length <= request.maximumBodyBytes else {
            return refuse(.bodyTooLarge)
        }
        guard stream == nil else { return true }
        if decoding == nil, length < AnswerBuffers.minimumSize || length > AnswerBuffers.maximumSize
        {
            body.reserveCapacity(min(length, Self.maximumReservation))
        } else {
            body = buffers.takeBody()
        }
        return true
    }

    private func beginDecoding() -> Bool {
        let values = head.fields[values: "Content-Encoding"]
        guard !values.isEmpty else { return true }
        do {
            let decoding = try ContentDecoding(values)
            if !decoding.isIdentity { self.decoding = decoding }
            return true
        } catch {
            return refuse(.unknownCoding(error.name))
        }
    }

    private func refuse(_ reason: Refusal) -> Bool {
        refusal = reason
        return false
    }
}
