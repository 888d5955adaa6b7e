// SPDX-License-Identifier: Apache-2.0

/// Where and why a value could not be encoded or decoded: the cause that a `NetworkError` has.
public struct CodingFailure: Error, Sendable, CustomStringConvertible {
    /// The place in the document, as `people[3].name`; empty for the whole of it.
    public let path: String
    /// Why, in one clause.
    public let reason: String
    /// The beginning of the content at that place, on one line without secrets and in quotes; nil
    /// if there is none.
    public let snippet: String?
    /// The error of the encoder or decoder.
    public let underlying: any Error

    /// Reads the place and the reason out of the error of an encoder or decoder.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - content: What could not be decoded.
    ///   - secrets: What is not shown of it.
    init(
        _ error: any Error, in content: [UInt8] = [], without secrets: SecretRedaction = .init()
    ) {
        underlying = error
        let keys: [any CodingKey]
        switch error {
        case let error as DecodingError: (keys, reason) = Self.explain(error)
        case EncodingError.invalidValue(_, let context):
            (keys, reason) = (context.codingPath, context.clause)
        default: (keys, reason) = ([], String(describing: error))
        }
        path = Self.path(keys)
        snippet = Self.snippet(of: content, at: keys, without: secrets)
    }

    /// Place, reason and content on one line, as `people[3].name: there is no such key, in '{}'`.
    public var description: String {
        let place = path.isEmpty ? "" : "\(path): "
        return "\(place)\(reason)\(snippet.map { ", in \($0)" } ?? "")"
    }

    private static func explain(_ error: DecodingError) -> ([any CodingKey], String) {
        switch error {
        case .keyNotFound(let key, let context):
            (context.codingPath + [key], "there is no such key")
        case .valueNotFound(let type, let context):
            (context.codingPath, "null instead of '\(type)'")
        case .typeMismatch(let type, let context):
            (context.codingPath, "no '\(type)': \(context.clause)")
        case .dataCorrupted(let context):
            (context.codingPath, context.clause)
        @unknown default: ([], String(describing: error))
        }
    }

    /// The most characters of a snippet: what fits into a line with the rest.
    private static let maximumSnippetLength = 80

    private static func snippet(
        of content: [UInt8], at keys: [any CodingKey], without secrets: SecretRedaction
    ) -> String? {
        guard !content.isEmpty else { return nil }
        // The value of a member that is named as a secret is one.
        guard !keys.contains(where: { SecretRedaction.isSecretName($0.stringValue) }) else {
            return nil
        }
        let steps = keys.map { key in
            key.intValue.map(JSONPlace.Step.index) ?? .key(key.stringValue)
        }
        let isJSON = content.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
            .map { "{[\"".utf8.contains($0) }
        let value =
            isJSON == true ? JSONPlace.text(at: steps, in: content) : content[...]
        // The beginning is all that is looked at: four bytes at most are a character.
        let text = String(decoding: value.prefix(maximumSnippetLength * 32), as: UTF8.self)
        return secrets.excerpt(of: text, upTo: maximumSnippetLength)
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path
    }
}

extension DecodingError.Context {
    /// The description and that of its cause, as part of a sentence.
    fileprivate var clause: String {
        CodingFailure.clause(debugDescription, underlyingError)
    }
}

extension EncodingError.Context {
    /// The description and that of its cause, as part of a sentence.
    fileprivate var clause: String {
        CodingFailure.clause(debugDescription, underlyingError)
    }
}

extension CodingFailure {
    /// Lower case, without a final period, with the cause after a colon.
    fileprivate static func clause(_ text: String, _ cause: (any Error)?) -> String {
        let parts = [text] + (cause.map { [String(describing: $0)] } ?? [])
        return parts.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
            .map(\.lowercasedFirst).joined(separator: ": ")
    }
}
