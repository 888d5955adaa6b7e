// SPDX-License-Identifier: Apache-2.0

/// The encoding of one label of an internationalised host name in ASCII (RFC 3492).
enum Punycode {
    // The parameters of RFC 3492, 5.
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26
    private static let skew = 38
    private static let damping = 700
    private static let initialBias = 72
    private static let firstCode = 128

    /// The label in ASCII without the `xn--` before it; nil if it is too long to be counted.
    ///
    /// RFC 3492, 6.3, whose names the variables have.
    static func encode(_ label: String) -> String? {
        let codes = label.unicodeScalars.map { Int($0.value) }
        var output = codes.filter { $0 < firstCode }
        let basicCount = output.count
        if basicCount > 0 { output.append(Int(UInt8(ascii: "-"))) }
        var (n, delta, bias, handled) = (firstCode, 0, initialBias, basicCount)
        while handled < codes.count {
            guard let next = codes.filter({ $0 >= n }).min() else { return nil }
            let (step, isTooLong) = (next - n).multipliedReportingOverflow(by: handled + 1)
            guard !isTooLong else { return nil }
            delta += step
            n = next
            for code in codes {
                if code < n { delta += 1 }
                guard code == n else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output.map { UInt8($0) }, as: UTF8.self)
    }

    /// A generalised variable-length integer (RFC 3492, 3.3).
    private static func digits(of delta: Int, bias: Int) -> [Int] {
        var (quotient, digits) = (delta, [Int]())
        for k in stride(from: base, through: .max, by: base) {
            let threshold = min(max(k - bias, minimumThreshold), maximumThreshold)
            guard quotient >= threshold else { break }
            digits.append(letter(threshold + (quotient - threshold) % (base - threshold)))
            quotient = (quotient - threshold) / (base - threshold)
        }
        return digits + [letter(quotient)]
    }

    /// The letter of a digit: `a` to `z` for 0 to 25, `0` to `9` for 26 to 35.
    private static func letter(_ digit: Int) -> Int {
        digit < 26 ? digit + Int(UInt8(ascii: "a")) : digit - 26 + Int(UInt8(ascii: "0"))
    }

    /// Bias adaptation (RFC 3492, 6.1).
    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damping : delta / 2
        delta += delta / count
        var k = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            k += base
        }
        return k + (base - minimumThreshold + 1) * delta / (delta + skew)
    }
}
