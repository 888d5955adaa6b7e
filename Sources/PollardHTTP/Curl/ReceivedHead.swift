// SPDX-License-Identifier: Apache-2.0

/// The head of an answer, line by line as libcurl hands it over.
///
/// libcurl reports every head that it sees: interim answers (1xx), the final one, and the
/// trailer fields after the content. After an interim one a head starts anew; trailers are dropped.
struct ReceivedHead: Sendable {
    /// The status code of the last head; 0 before the first.
    private(set) var status = 0
    /// The fields of the last head.
    private(set) var fields = HTTPFields()
    /// The bytes of all heads and trailers, so that endless interim answers meet the limit too.
    private(set) var byteCount = 0
    /// Whether the empty line after a final head was seen.
    private(set) var isComplete = false
    /// Whether a status line comes next.
    private var isAtStart = true

    /// Room for the fields of most answers, so that the list seldom grows.
    private static let usualFieldCount = 12

    /// Makes a head of which nothing was received, whose fields are collected in `memory`.
    init(fieldsIn memory: HTTPFields = HTTPFields()) { fields = memory }

    /// Takes one line, its line break included.
    ///
    /// - Returns: Whether this line completed the final head.
    mutating func receive(_ line: Span<UInt8>) -> Bool {
        byteCount += line.count
        guard !isComplete, !line.isEmpty else { return false }
        var end = line.count
        while end > 0, Self.isBlank(line[end - 1]) { end -= 1 }
        if isAtStart, Self.startsHead(line) {
            isAtStart = false
            status = Self.status(of: line)
            fields.removeAllKeepingCapacity()
            fields.reserveCapacity(Self.usualFieldCount)
        } else if Self.isLineBreak(line[0]) {
            isComplete = status >= 200
            isAtStart = true
            return isComplete
        } else if Self.isBlank(line[0]) {
            fold(Self.text(line, from: 0, to: end))
        } else {
            receiveField(line, end)
        }
        return false
    }

    /// Forgets a head that was not the answer after all, but not how many bytes it had.
    mutating func startAnew() {
        status = 0
        fields.removeAllKeepingCapacity()
        isComplete = false
        isAtStart = true
    }

    /// What a head says of the length of the content.
    enum ContentLength: Hashable {
        /// Nothing: it ends with the connection, or says so itself.
        case open
        /// So many bytes.
        case bytes(Int)
        /// Different things, or no number: nobody knows where the content ends.
        case invalid
    }

    /// The declared length of the content (RFC 9112, 6.3).
    var contentLength: ContentLength {
        guard fields["Transfer-Encoding"] == nil else { return .open }
        var length: Int?
        for field in fields.lines where HTTPFields.areSame(field.name, "Content-Length") {
            for text in field.value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let number = Self.number(text), number == length ?? number else {
                    return .invalid
                }
                length = number
            }
        }
        return length.map { .bytes($0) } ?? .open
    }

    private static func number(_ text: Substring) -> Int? {
        var digits = text.utf8
        while let first = digits.first, isBlank(first) { digits.removeFirst() }
        while let last = digits.last, isBlank(last) { digits.removeLast() }
        guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(Substring(digits))
    }

    private mutating func receiveField(_ line: Span<UInt8>, _ end: Int) {
        var colon = 0
        while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < end else { return }
        var nameEnd = colon
        while nameEnd > 0, Self.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
        fields.append(
            Self.text(line, from: 0, to: nameEnd), Self.text(line, from: colon + 1, to: end))
    }

    /// Joins a continuation line, which is obsolete but seen, to its field.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9112#section-5.2
    private mutating func fold(_ text: String) {
        if !text.isEmpty { fields.appendToLast(" " + text) }
    }

    /// Whether this is a status line.
    static func startsHead(_ line: Span<UInt8>) -> Bool {
        guard line.count >= 5 else { return false }
        return line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T")
            && line[2] == UInt8(ascii: "T") && line[3] == UInt8(ascii: "P")
            && line[4] == UInt8(ascii: "/")
    }

    /// The three digits after the first space.
    private static func status(of line: Span<UInt8>) -> Int {
        var place = 0
        while place < line.count, line[place] != UInt8(ascii: " ") { place += 1 }
        place += 1
        var status = 0
        while place < line.count, status < 100, case let digit = Int(line[place]) - 0x30,
            (0...9).contains(digit)
        {
            status = status * 10 + digit
            place += 1
        }
        return status
    }

    /// The text without blanks before it: UTF-8 if it is valid, else ISO 8859-1.
    ///
    /// Control characters become spaces (RFC 9110, 5.5): a validator that held one could not be
    /// sent back.
    private static func text(_ line: Span<UInt8>, from start: Int, to end: Int) -> String {
        var start = start
        while start < end, isBlank(line[start]) { start += 1 }
        let bytes = line.extracting(start..<end)
        var isPlain = true
        for place in bytes.indices { isPlain = isPlain && isVisible(bytes[place]) }
        if isPlain { return unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: true)) }
        if (start..<end).contains(where: { isControl(line[$0]) }) {
            let bytes = (start..<end).map { isControl(line[$0]) ? 0x20 : line[$0] }
            return text(bytes.span, from: 0, to: bytes.count)
        }
        if let valid = try? UTF8Span(validating: bytes) { return String(copying: valid) }
        var latin = String.UnicodeScalarView()
        for place in 0..<bytes.count { latin.append(Unicode.Scalar(bytes[place])) }
        return String(latin)
    }

    /// Whether `byte` is a sign of ASCII, or a space: as nearly all are.
    private static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x20 <= 0x7e - 0x20 }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || isLineBreak(byte)
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || byte == 0x7f
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0d || byte == 0x0a }
}
