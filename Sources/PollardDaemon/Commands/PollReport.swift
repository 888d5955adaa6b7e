// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import PollardSystemd

/// What `pollard poll` shows of one endpoint.
struct PollReport {
    /// What came of the poll.
    enum Outcome {
        case answered(Answer, SnapshotContent, StoredSnapshots.Comparison)
        case failed(PollFailure)
    }

    let endpoint: WatchedEndpoint
    let outcome: Outcome

    var isFailure: Bool {
        if case .failed = outcome { true } else { false }
    }

    /// The lines for people: how it went, what differs, and the value.
    var text: String {
        switch outcome {
        case .answered(let answer, let content, let comparison):
            text(answer, content, comparison)
        case .failed(let failure): text(failure)
        }
    }

    private func text(
        _ answer: Answer, _ content: SnapshotContent, _ comparison: StoredSnapshots.Comparison
    ) -> String {
        var lines = ["\(endpoint.name): \(Self.headline(answer))"]
        lines += Self.connection(answer).map { "  \($0)" }
        lines += Self.differences(comparison).map { "  \($0)" }
        lines.append(endpoint.redactor.redact(content.shown))
        return lines.joined(separator: "\n").printable
    }

    private func text(_ failure: PollFailure) -> String {
        let attempts = failure.attempts > 1 ? " (\(failure.attempts) attempts)" : ""
        let cause = endpoint.redactor.redact(failure.message)
        return """
            \(endpoint.name): failed: \(cause)\(attempts)
              \(endpoint.configuration.request.method) \(endpoint.displayURL)
            """.printable
    }

    private static func headline(_ answer: Answer) -> String {
        let type = answer.contentType.map { " of \($0)" } ?? ""
        let attempts = answer.attempts > 1 ? ", \(answer.attempts) attempts" : ""
        return """
            \(answer.status) in \(answer.timing.total.humane), \
            \(answer.body.count.counted("byte"))\(type)\(attempts)
            """
    }

    private static func connection(_ answer: Answer) -> [String] {
        let address = answer.remoteAddress.map { " from \($0)" } ?? ""
        let timing = answer.timing
        let phases = [
            ("name lookup", timing.nameLookup), ("connect", timing.connect), ("TLS", timing.tls),
            ("first byte", timing.firstByte),
        ].compactMap { name, duration in duration.map { "\(name) \($0.humane)" } }
        var lines = ["\(answer.version)\(address): \(phases.joined(separator: ", "))"]
        if let expiry = answer.certificateExpiry {
            let left = expiry.since(Timestamp.now())
            lines.append(
                left > .zero
                    ? "certificate: \(left.humane) left, until \(expiry.rfc3339())"
                    : "certificate: expired on \(expiry.rfc3339())")
        }
        return lines
    }

    private static func differences(_ comparison: StoredSnapshots.Comparison) -> [String] {
        switch comparison {
        case .none(let reason): ["not compared: \(reason)"]
        case .unchanged(let since): ["unchanged since the snapshot of \(since.rfc3339())"]
        case .changed(let summary, let since):
            ["differs from the snapshot of \(since.rfc3339()): \(summary.counts)"]
                + summary.details.map { "  \($0)" }
        }
    }
}
