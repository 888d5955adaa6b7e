// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

extension PollReport {
    /// The report as one JSON object; what is not known is left out.
    var json: String {
        var line = JSONLine()
        line.add("endpoint", endpoint.name.rawValue)
        switch outcome {
        case .answered(let answer, let content, let comparison):
            line.add("outcome", Self.outcome(comparison))
            addRequest(to: &line)
            Self.add(answer, to: &line)
            Self.add(comparison, to: &line)
            line.add("value", json: value(content))
        case .failed(let failure):
            line.add("outcome", "failed")
            addRequest(to: &line)
            line.add("failure", failure.kind.rawValue)
            line.add("phase", failure.phase.rawValue)
            line.add("error", endpoint.redactor.redact(failure.message))
            line.add("status", failure.status)
            line.add("duration_usec", failure.timing.total.wholeMicroseconds)
            line.add("attempts", failure.attempts)
        }
        return line.text
    }

    private func addRequest(to line: inout JSONLine) {
        line.add("method", endpoint.configuration.request.method)
        line.add("url", endpoint.displayURL)
    }

    private static func outcome(_ comparison: StoredSnapshots.Comparison) -> String {
        switch comparison {
        case .none: "not-compared"
        case .unchanged: "unchanged"
        // Another order alone is no change.
        case .changed(let summary, _): summary.isChange ? "changed" : "unchanged"
        }
    }

    private static func add(_ answer: Answer, to line: inout JSONLine) {
        let timing = answer.timing
        line.add("status", answer.status)
        line.add("duration_usec", timing.total.wholeMicroseconds)
        line.add("attempts", answer.attempts)
        line.add("content_type", answer.contentType)
        line.add("bytes", answer.body.count)
        line.add("http_version", answer.version)
        line.add("address", answer.remoteAddress)
        line.add("name_lookup_usec", timing.nameLookup?.wholeMicroseconds)
        line.add("connect_usec", timing.connect?.wholeMicroseconds)
        line.add("tls_usec", timing.tls?.wholeMicroseconds)
        line.add("first_byte_usec", timing.firstByte?.wholeMicroseconds)
        line.add("certificate_expiry", answer.certificateExpiry?.rfc3339())
    }

    private static func add(_ comparison: StoredSnapshots.Comparison, to line: inout JSONLine) {
        switch comparison {
        case .none(let reason): line.add("not_compared", reason)
        case .unchanged(let since): line.add("snapshot_time", since.rfc3339())
        case .changed(let summary, let since):
            line.add("snapshot_time", since.rfc3339())
            line.add(summary)
        }
    }

    /// The value without secrets: JSON as it is, text as a string; nil for bytes, and for JSON that
    /// would be none without a secret in it.
    private func value(_ content: SnapshotContent) -> String? {
        switch content {
        case .json(let value):
            let text = value.text()
            let redacted = endpoint.redactor.redact(text)
            guard redacted != text else { return text }
            return (try? JSONValue(parsing: redacted))?.text()
        case .text(let text): return JSONLine.quoted(endpoint.redactor.redact(text))
        case .bytes: return nil
        }
    }
}
