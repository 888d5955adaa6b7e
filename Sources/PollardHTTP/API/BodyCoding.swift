// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// Turns values into the content of requests.
public protocol BodyEncoder: Sendable {
    /// The media type of what `encode` gives, for Content-Type.
    var contentType: String { get }

    /// The content that stands for `value`.
    ///
    /// - Throws: Any error; it becomes the cause of a `NetworkError.Code.encoding`.
    func encode(_ value: some Encodable) throws -> [UInt8]
}

/// Turns the content of answers into values.
public protocol BodyDecoder: Sendable {
    /// The value that `content` stands for.
    ///
    /// - Throws: Any error; it becomes the cause of a `NetworkError.Code.decoding`.
    func decode<Value: Decodable>(_ type: Value.Type, from content: [UInt8]) throws -> Value
}

extension JSONEncoder: BodyEncoder {
    /// `application/json` (RFC 8259, 11).
    public var contentType: String { "application/json" }

    /// The JSON text of `value`, by the encoder's settings.
    ///
    /// - Throws: `EncodingError`.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let data: Data = try encode(value)
        return Array(data)
    }
}

extension JSONDecoder: BodyDecoder {
    /// The value of a JSON text, by the decoder's settings.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from content: [UInt8]
    ) throws -> Value {
        try decode(type, from: Data(content))
    }
}

extension PropertyListEncoder: BodyEncoder {
    /// `application/x-plist`.
    public var contentType: String { "application/x-plist" }

    /// The property list of `value`, by the encoder's settings.
    ///
    /// - Throws: `EncodingError`.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let data: Data = try encode(value)
        return Array(data)
    }
}

extension PropertyListDecoder: BodyDecoder {
    /// The value of a property list in any of its formats.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from content: [UInt8]
    ) throws -> Value {
        try decode(type, from: Data(content))
    }
}
