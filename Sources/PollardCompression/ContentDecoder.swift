// SPDX-License-Identifier: Apache-2.0

/// Takes one content coding off (RFC 9110, 8.4.1), piece by piece.
///
/// libcurl can decode too, but takes a stream that ends early for a complete one.
protocol ContentDecoder: AnyObject {
    /// Whether the end of the coded stream was seen.
    var isComplete: Bool { get }
    /// The bytes at the end of the last input that were not looked at, since `output` wanted no more.
    var leftCount: Int { get }

    /// Decodes a piece; the output comes in pieces of bounded size.
    ///
    /// After a stop the rest of the input has to come next, even if it is empty: there may be
    /// output left.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the coded stream.
    ///   - output: Called with decoded bytes; returns whether to go on.
    /// - Returns: Whether all of it was decoded; false if `output`, which has taken what it was
    ///   given, wants no more.
    /// - Throws: `MalformedContent` if the bytes are no such stream.
    func decode(
        _ input: UnsafeRawBufferPointer,
        to output: (UnsafeRawBufferPointer) throws(MalformedContent) -> Bool
    ) throws(MalformedContent) -> Bool
}

/// The content is not what its coding says.
package struct MalformedContent: Error {}

/// The codings of one content, outermost first.
package struct ContentDecoding {
    /// What requests offer, best known first.
    package static let acceptEncoding = "gzip, deflate, br, zstd"
    /// The most codings of one content: more than one is unheard of, and many are an attack.
    static let maximumCount = 3
    /// The size of the pieces in which decoders put out, in bytes.
    static let pieceSize = 32 << 10

    private let decoders: [any ContentDecoder]
    private var hasInput = false
    /// For each decoder, the input that it has not looked at; nil unless it was stopped.
    private var held: [[UInt8]?]

    /// Prepares to decode by the values of the Content-Encoding field.
    ///
    /// - Throws: `UnknownCoding` for one that can't be decoded, or too many.
    package init(_ values: [String]) throws(UnknownCoding) {
        var decoders: [any ContentDecoder] = []
        for value in values {
            for name in value.split(separator: ",") {
                let name = name.lowercased().filter { $0 != " " && $0 != "\t" }
                guard decoders.count < Self.maximumCount else { throw UnknownCoding(name: value) }
                if let decoder = try Self.decoder(name) { decoders.append(decoder) }
            }
        }
        // The last one was applied last, so it comes off first.
        self.decoders = decoders.reversed()
        held = Array(repeating: nil, count: decoders.count)
    }

    /// A coding that can't be decoded.
    package struct UnknownCoding: Error {
        /// As the server names it.
        package let name: String
    }

    /// Whether the content is not coded at all.
    package var isIdentity: Bool { decoders.isEmpty }

    /// Whether the content came to its end; an empty one needs no coding.
    package var isComplete: Bool { !hasInput || decoders.allSatisfy(\.isComplete) }

    /// Whether `output` wanted no more before all input was decoded.
    package var isHolding: Bool { held.contains { $0 != nil } }

    /// Decodes a piece.
    ///
    /// - Returns: Whether `output` always wanted more; otherwise the rest is kept for `goOn`.
    /// - Throws: `MalformedContent` if the bytes don't follow the coding.
    package mutating func decode(
        _ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) -> Bool
    ) throws(MalformedContent) -> Bool {
        hasInput = true
        return try unsafe decode(input, from: 0, to: output)
    }

    /// Decodes what is left since `output` wanted no more.
    ///
    /// - Returns: Whether `output` always wanted more.
    /// - Throws: `MalformedContent` if the bytes don't follow the coding.
    package mutating func goOn(
        to output: (UnsafeRawBufferPointer) -> Bool
    ) throws(MalformedContent) -> Bool {
        // The innermost first: its input comes before what the others make of theirs.
        for index in held.indices.reversed() {
            guard let rest = held[index] else { continue }
            held[index] = nil
            let isDone = try unsafe rest.span.withUnsafeBytes { (rest) throws(MalformedContent) in
                try unsafe decode(rest, from: index, to: output)
            }
            if !isDone { return false }
        }
        return true
    }

    private mutating func decode(
        _ input: UnsafeRawBufferPointer, from index: Int,
        to output: (UnsafeRawBufferPointer) -> Bool
    ) throws(MalformedContent) -> Bool {
        guard index < decoders.count else { return unsafe output(input) }
        let decoder = decoders[index]
        let isDone = try unsafe decoder.decode(input) { piece throws(MalformedContent) in
            try unsafe decode(piece, from: index + 1, to: output)
        }
        if !isDone { unsafe held[index] = Array(input.suffix(decoder.leftCount)) }
        return isDone
    }

    private static func decoder(_ name: String) throws(UnknownCoding) -> (any ContentDecoder)? {
        switch name {
        case "", "identity": nil
        case "gzip", "x-gzip": DeflateDecoder(.gzip)
        case "deflate": DeflateDecoder(.zlib)
        case "br": BrotliDecoder()
        case "zstd": ZstdDecoder()
        default: throw UnknownCoding(name: name)
        }
    }
}
