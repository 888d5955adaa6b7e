// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import PollardSystemd

/// What `pollard poll` shows of one endpoint.
struct PollReport {
    let text: String
    let isFailure: Bool

    /// The report of a good poll: how it went, what differs, and the value.
    init(
        _ endpoint: WatchedEndpoint, _ answer: Answer, _ content: SnapshotContent,
        _ comparison: StoredSnapshots.Comparison
    ) {
        var lines = ["\(endpoint.name): \(Self.headline(answer))"]
        lines += Self.connection(answer).map { "  \($0)" }
        lines += Self.differences(comparison).map { "  \($0)" }
        let value = endpoint.redactor.redact(Self.value(content, byteCount: answer.body.count))
        let all =
            lines + value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        text = all.joined(separator: "\n").printable
        isFailure = false
    }

    /// The report of a failed poll.
    init(_ endpoint: WatchedEndpoint, _ failure: PollFailure) {
        let attempts = failure.attempts > 1 ? " (\(failure.attempts) attempts)" : ""
        let cause = endpoint.redactor.redact(failure.message)
        text =
            """
            \(endpoint.name): failed: \(cause)\(attempts)
              \(endpoint.configuration.request.method) \(endpoint.displayURL)
            """.printable
        isFailure = true
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
                    ? "certificate: \(left.humane) left, until \(expiry.rfc3339)"
                    : "certificate: expired on \(expiry.rfc3339)")
        }
        return lines
    }

    private static func differences(_ comparison: StoredSnapshots.Comparison) -> [String] {
        switch comparison {
        case .none(let reason): ["not compared: \(reason)"]
        case .unchanged(let since): ["unchanged since the snapshot of \(since.rfc3339)"]
        case .changed(let summary, let since):
            ["differs from the snapshot of \(since.rfc3339): \(summary.counts)"]
                + summary.details.map { "  \($0)" }
        }
    }

    private static func value(_ content: SnapshotContent, byteCount: Int) -> String {
        switch content {
        case .json(let value): value.text(.pretty)
        case .text(let text): text
        case .bytes: "(\(byteCount.counted("byte")) that are no text)"
        }
    }
}
