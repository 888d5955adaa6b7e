// SPDX-License-Identifier: Apache-2.0

/// Takes one content coding off (RFC 9110, 8.4.1), piece by piece.
///
/// libcurl can decode too, but takes a stream that ends early for a complete one.
protocol ContentDecoder: AnyObject {
    /// Whether the end of the coded stream was seen.
    var isComplete: Bool { get }

    /// Decodes a piece; the output comes in pieces of bounded size.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the coded stream.
    ///   - output: Called with decoded bytes; returns whether to go on.
    /// - Returns: Whether all of it was decoded; false if `output` wants no more.
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

    /// Decodes a piece.
    ///
    /// - Returns: Whether `output` always wanted more.
    /// - Throws: `MalformedContent` if the bytes don't follow the coding.
    package mutating func decode(
        _ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) -> Bool
    ) throws(MalformedContent) -> Bool {
        hasInput = true
        return try unsafe decode(input, from: 0, to: output)
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, from index: Int,
        to output: (UnsafeRawBufferPointer) -> Bool
    ) throws(MalformedContent) -> Bool {
        guard index < decoders.count else { return unsafe output(input) }
        return try unsafe decoders[index].decode(input) { piece throws(MalformedContent) in
            try unsafe decode(piece, from: index + 1, to: output)
        }
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
