// SPDX-License-Identifier: Apache-2.0

/// A document as APIs send them: a list of objects with texts, numbers, flags and short lists.
struct SampleDocument {
    /// The number of objects in the list; each is about 220 bytes.
    let items: Int

    /// The text, the same each time, with another price in each `step`th item; 0 changes none.
    func text(changing step: Int = 0, insertingFirst: Bool = false) -> [UInt8] {
        var generator = SplitMix(state: 42)
        var text = #"{"total": \#(items), "next": null, "items": ["#
        if insertingFirst { text += #"{"id": -1, "sku": "new"}, "# }
        for index in 0..<items {
            if index > 0 { text += ", " }
            let cents = generator.next() % 100_000
            let changed = step > 0 && index % step == step / 2 ? 1 : 0
            text += """
                {"id": \(index), "sku": "\(String(generator.next(), radix: 36))", \
                "name": "Grüner Tee, lose, \(index % 17) g", \
                "price": \(cents / 100).\(cents % 100 + UInt64(changed)), \
                "stock": \(generator.next() % 1000), "tags": ["a\(index % 7)", "neu", "bio"], \
                "available": \(index % 3 != 0), "score": 0.\(generator.next() % 1_000_000_000), \
                "url": "https://shop.example/items/\(index)?ref=api"}
                """
        }
        return Array((text + "]}").utf8)
    }
}

/// A generator of numbers that are the same in each run (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
