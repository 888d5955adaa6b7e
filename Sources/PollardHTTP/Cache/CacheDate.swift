// SPDX-License-Identifier: Apache-2.0

/// Dates that decide about freshness: read more strictly than others, since what can't be read
/// counts as past (RFC 9111, 5.3).
enum CacheDate {
    /// Seconds since 1970; nil for what has none of the three forms of RFC 9110, 5.6.7.
    ///
    /// Names of days and months and `GMT` may be in any case, as other caches have it.
    static func seconds(_ text: String, now: Int64) -> Int64? {
        // Words are told from numbers; every other character has to be what it should.
        let shape = String(
            text.utf8.map { byte -> Character in
                switch byte {
                case 0x30...0x39: "0"
                case 0x41...0x5A, 0x61...0x7A: "a"
                default: Character(Unicode.Scalar(byte))
                }
            })
        let day = shape.prefix { $0 == "a" }
        let rest = shape.dropFirst(day.count)
        let isValid =
            switch rest {
            case ", 00 aaa 0000 00:00:00 aaa": day.count == 3
            case ", 00-aaa-00 00:00:00 aaa": (6...9).contains(day.count)
            case " aaa 00 00:00:00 0000", " aaa  0 00:00:00 0000": day.count == 3
            default: false
            }
        guard isValid else { return nil }
        return HTTPDate(withUsualCase(text), now: now)?.seconds
    }

    /// Words as `Jan`, but `GMT` as that.
    private static func withUsualCase(_ text: String) -> String {
        var isInWord = false
        let usual = String(
            text.unicodeScalars.map { scalar -> Character in
                defer { isInWord = scalar.properties.isAlphabetic }
                let letter = String(scalar)
                return Character(isInWord ? letter.lowercased() : letter.uppercased())
            })
        return usual.hasSuffix("Gmt") ? String(usual.dropLast(3)) + "GMT" : usual
    }
}
