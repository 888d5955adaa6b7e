// SPDX-License-Identifier: Apache-2.0

/// The 64 bit FNV-1a hash: names files after their keys, and finds damage in them.
///
/// It keeps nobody from making two keys collide; that is why a file holds its whole key. Not
/// `Hasher`, which gives other values in each process.
struct FNVHash: Sendable, Hashable {
    /// The hash of what was added.
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    init() {}

    /// The hash of `bytes`.
    init(_ bytes: some Sequence<UInt8>) { add(bytes) }

    /// Adds bytes after those before.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        var value = value
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        self.value = value
    }

    /// 16 hexadecimal digits.
    var hexadecimal: String { Self.hexadecimal(value) }

    /// A number in 16 hexadecimal digits.
    static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
