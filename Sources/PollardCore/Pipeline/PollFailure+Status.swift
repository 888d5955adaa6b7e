// SPDX-License-Identifier: Apache-2.0

extension PollFailure {
    /// The failure of an answer whose status is not what a poll wants.
    package init(unexpected answer: Answer) {
        let reason = answer.reason.map { " " + $0 } ?? ""
        self.init(
            kind: .status, message: "status \(answer.status)\(reason)", status: answer.status)
        attempts = answer.attempts
        timing = answer.timing
        certificateExpiry = answer.certificateExpiry
    }

    /// The failure with what is known of the answer that it is about.
    package func about(_ answer: Answer) -> PollFailure {
        var failure = self
        failure.status = answer.status
        failure.attempts = answer.attempts
        failure.timing = answer.timing
        failure.certificateExpiry = answer.certificateExpiry
        return failure
    }
}
