// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// A sequence of requests, what the server answers, and what is to be seen: a case of
/// `Fixtures/cache-cases.txt`, which says how it is written.
struct CacheCase: Sendable, CustomTestStringConvertible {
    /// One request.
    struct Step: Sendable {
        var method: String
        var path: String
        var request = HTTPFields()
        var status = 200
        var closes = false
        var answer: [(name: String, value: String)] = []
        /// What must have been sent.
        var sent = HTTPFields()
        var expectations: [String] = []
        /// Seconds that pass after it.
        var pause: Int64 = 0
    }

    var id: String
    var steps: [Step] = []
    var testDescription: String { id }

    /// Reads all cases.
    static func all() throws -> [CacheCase] {
        var cases: [CacheCase] = []
        let text = try ProjectFiles.text(of: "Tests/PollardHTTPTests/Fixtures/cache-cases.txt")
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard let first = words.first else { continue }
            let rest = words.count > 1 ? words[1] : ""
            if first == "case" {
                cases.append(CacheCase(id: rest))
                continue
            }
            try cases[cases.count - 1].add(first, rest)
        }
        return cases
    }

    struct Malformed: Error {
        var line: String
    }

    private mutating func add(_ first: String, _ rest: String) throws {
        let last = steps.count - 1
        let field = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0).trimmed }
        switch first {
        case ">" where field.count == 2: steps[last].request.append(field[0], field[1])
        case "<" where rest == "close": steps[last].closes = true
        case "<" where field.count == 2: steps[last].answer.append((field[0], field[1]))
        case "<":
            guard let status = Int(rest) else { throw Malformed(line: rest) }
            steps[last].status = status
        case "sent": steps[last].sent.append(field[0], field[1])
        case "=": steps[last].expectations.append(rest)
        case "wait":
            guard let seconds = Int64(rest) else { throw Malformed(line: rest) }
            steps[last].pause = seconds
        case "GET", "HEAD", "POST", "PUT", "DELETE", "M-SEARCH":
            steps.append(Step(method: first, path: rest.isEmpty ? "/" : rest))
        default: throw Malformed(line: "\(first) \(rest)")
        }
    }
}

/// A date as header fields have it (RFC 9110, 5.6.7).
func httpDate(_ seconds: Int64) throws -> String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second, .weekday],
        from: Date(timeIntervalSince1970: Double(seconds)))
    func two(_ number: Int?) throws -> String {
        let number = try #require(number)
        return number < 10 ? "0\(number)" : "\(number)"
    }
    let (weekday, month) = (try #require(parts.weekday), try #require(parts.month))
    return try "\(days[weekday - 1]), \(two(parts.day)) \(months[month - 1]) "
        + "\(#require(parts.year)) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
}
