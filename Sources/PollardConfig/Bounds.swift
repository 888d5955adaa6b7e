// SPDX-License-Identifier: Apache-2.0

/// The ranges that values must keep; CONFIGURATION.md and the schema say the same.
enum Bounds {
    /// Below, a poll costs more than its answer can be worth; above a year it is a mistake.
    static let interval: ClosedRange<Duration> = .milliseconds(100) ... .seconds(366 * 86_400)
    /// One attempt: loopback answers in a millisecond; an hour would hold a slot too long.
    static let timeout: ClosedRange<Duration> = .milliseconds(1) ... .seconds(3600)
    /// Bodies are kept in memory while they are compared.
    static let maximumBody: ClosedRange<Int> = 1...(1 << 30)
    /// More attempts in one poll are a second schedule in disguise.
    static let attempts = 1...10
    /// The first delay, and the longest; a longer one is the interval's business.
    static let retryDelay: ClosedRange<Duration> = .milliseconds(1) ... .seconds(3600)
    /// A thousand polls in a row: at the default interval, most of a day.
    static let threshold = 1...1000
    /// The outcomes of the last 64 polls are kept as the bits of one number.
    static let within = 1...64
    /// Below an hour nobody could renew it; certificates live 398 days at most, internal ones some
    /// years, and a life of more than ten years left is always missed.
    static let certificateLife: ClosedRange<Duration> = .seconds(3600) ... .seconds(3660 * 86_400)
    /// More often, reminders are the noise that alerts exist to avoid; above a year, a mistake.
    static let reminder: ClosedRange<Duration> = .seconds(60) ... .seconds(366 * 86_400)
    /// Each request in flight is a socket; the service's limit on descriptors is above this.
    static let concurrency = 1...10_000
    /// As `concurrency`, for all endpoints on one server.
    static let perHost = 1...10_000
    /// Requests in a second, minute, hour or day; ten thousand a second is more than one core sends.
    static let perHostRate = 1...10_000
    /// Patterns are tried at each value of a document.
    static let maximumPatterns = 256
    /// A journal entry has at most 1024 fields, and systemd's own are among them.
    static let maximumLabels = 32
    /// Header fields, query parameters or form fields of one request; servers allow about 100.
    static let maximumParameters = 256
    /// The longest URL that common servers accept, in bytes.
    static let maximumURLBytes = 8192
    /// The longest header value, in bytes: nginx and Apache refuse more in one line.
    static let maximumHeaderBytes = 8192
    /// The longest label, in bytes, so that entries stay readable.
    static let maximumLabelBytes = 256
    /// The longest label name, in characters: with the prefix, a field's name has at most 64.
    static let maximumLabelName = 32
}
