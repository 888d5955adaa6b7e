// SPDX-License-Identifier: Apache-2.0

extension WatchedEndpoint {
    /// The validators that make the next request conditional; empty if it has to be a plain one.
    ///
    /// Validators under another fingerprint would let a 304 hide what an edited rule now shows.
    package func validatorsToSend(_ state: EndpointState) -> Validators {
        guard configuration.cache == .validators, state.snapshot != nil,
            let kept = state.validators, kept.fingerprint == fingerprint
        else { return Validators() }
        return kept.validators
    }

    /// Keeps the validators of an answer that amounts to the snapshot in `state`.
    func keep(_ answer: Answer, in state: inout EndpointState) {
        if answer.status == 304 {
            // It need not repeat them (RFC 9110, 15.4.5). Others than were sent are those of a
            // body that was never seen: kept, they would hide it for ever. The next request is a
            // plain one then (RFC 9111, 4.3.3).
            let sent = state.validators?.validators
            if sent?.agree(with: answer.validators) != true { state.validators = nil }
        } else if answer.validators.isEmpty {
            state.validators = nil
        } else {
            state.validators = EndpointState.KeptValidators(
                validators: answer.validators, fingerprint: fingerprint)
        }
    }

    /// What a received body says.
    ///
    /// - Throws: `PollFailure` of kind `extract` or `body` if it can't be understood.
    package func content(
        of body: [UInt8], contentType: String?
    ) throws(PollFailure) -> SnapshotContent {
        try SnapshotContent(decoding: body, contentType: contentType, format: format)
    }

    /// What an answer says without the secrets that the server sent back.
    ///
    /// - Parameter answer: Its body becomes one without them, in UTF-8, which may be kept; nearly
    ///   always there are none, and it stays as it came.
    /// - Returns: The content of that body.
    /// - Throws: `PollFailure` of kind `extract` or `body` if it can't be understood, with status
    ///   and timing of the answer.
    package func content(redacting answer: inout Answer) throws(PollFailure) -> SnapshotContent {
        let content: SnapshotContent
        do throws(PollFailure) {
            content = try self.content(of: answer.body, contentType: answer.contentType)
        } catch {
            throw error.about(answer)
        }
        let type = answer.contentType
        answer.contentType = type.map(redactor.redact)
        guard let clean = redactor.redact(content) else { return content }
        answer.body = clean.body
        if case .bytes = clean { return clean }
        answer.contentType = answer.contentType.map(MediaType.inUTF8)
        return clean
    }

    /// What a stored body says under the rules of today; bytes, if it no longer fits the format.
    ///
    /// Without secrets, like every answer that is compared with it: it may be older than they are.
    package func storedContent(of body: [UInt8], contentType: String?) -> SnapshotContent {
        let content: SnapshotContent
        do {
            content = try self.content(of: body, contentType: contentType)
        } catch {
            content = .bytes(body)
        }
        return redactor.redact(content) ?? content
    }

    /// An answer to HEAD has no content, whatever its Content-Type says (RFC 9110, 9.3.2).
    private var format: ContentFormat {
        configuration.request.method == "HEAD" ? .bytes : configuration.format
    }
}

extension Validators {
    /// Whether `other`, of a 304, can belong to the same body; what it leaves out says nothing.
    fileprivate func agree(with other: Validators) -> Bool {
        if let tag = other.entityTag {
            return entityTag.map(Self.opaqueTag) == Self.opaqueTag(of: tag)
        }
        return other.lastModified == nil || other.lastModified == lastModified
    }

    /// The tag without its mark of weakness, for the weak comparison (RFC 9110, 8.8.3.2).
    private static func opaqueTag(of tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension ChangeSummary {
    /// A change from a snapshot that can't be read any more: that it differs is all that is known.
    init(withoutPrevious loss: LostBody) {
        updated = 1
        lines = ["~ (whole document)"]
        remarks = ["the previous snapshot can't be compared: \(loss.reason)"]
    }
}
