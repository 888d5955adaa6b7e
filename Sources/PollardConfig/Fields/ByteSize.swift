// SPDX-License-Identifier: Apache-2.0

/// Sizes in bytes with a binary unit: `512B`, `64KiB`, `1.5MiB`.
enum ByteSize {
    /// `kB` and `MB` are missing on purpose: some mean powers of 1000 by them, others of 1024.
    static let units: [(name: String, bytes: Int64)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    /// The number of bytes that `text` means; nil if it is no size.
    static func bytes(_ text: String) -> Int? {
        var rest = Array(text.utf8)[...]
        guard let number = DecimalFraction(removedFrom: &rest) else { return nil }
        let name = String(decoding: rest.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        guard let unit = units.first(where: { $0.name == name }) else { return nil }
        return number.multiplied(by: unit.bytes).map(Int.init)
    }

    /// `bytes` in the largest unit that needs no fraction.
    static func text(_ bytes: Int) -> String {
        let unit = units.last { Int64(bytes) >= $0.bytes && Int64(bytes) % $0.bytes == 0 }
        guard let unit else { return "\(bytes)B" }
        return "\(Int64(bytes) / unit.bytes)\(unit.name)"
    }
}
