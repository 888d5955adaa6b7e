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
    /// The error of the encoder or decoder, which may quote the content, secrets included.
    public let underlying: any Error

    /// Reads the place and the reason out of the error of an encoder or decoder.
    ///
    /// Path and reason have no secrets, and no character that is not seen.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - content: What could not be decoded.
    ///   - secrets: What is not shown of it.
    init(
        _ error: any Error, in content: [UInt8] = [], without secrets: SecretRedaction = .init()
    ) {
        underlying = error
        let (keys, reason) = Self.explain(error)
        // A decoder may quote the value; that of a member that is named as a secret is one.
        let isSecret = keys.contains { SecretRedaction.isSecretName($0.stringValue) }
        path = secrets.line(of: Self.path(keys), upTo: Self.maximumPathLength)
        self.reason =
            isSecret
            ? Self.reasonWithoutValue(error)
            : secrets.line(of: reason, upTo: Self.maximumReasonLength)
        snippet = isSecret ? nil : Self.snippet(of: content, at: keys, without: secrets)
    }

    /// The most characters of a path and of a reason, which may have keys and values of a server's.
    private static let maximumPathLength = 200
    private static let maximumReasonLength = 300

    /// Place, reason and content on one line, as `people[3].name: there is no such key, in '{}'`.
    public var description: String {
        let place = path.isEmpty ? "" : "\(path): "
        return "\(place)\(reason)\(snippet.map { ", in \($0)" } ?? "")"
    }

    private static func explain(_ error: any Error) -> ([any CodingKey], String) {
        switch error {
        case let error as DecodingError: explain(error)
        case EncodingError.invalidValue(_, let context): (context.codingPath, context.clause)
        default: ([], String(describing: error))
        }
    }

    /// Why, without what an encoder or decoder says about the value.
    private static func reasonWithoutValue(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound, DecodingError.valueNotFound: explain(error).1
        case DecodingError.typeMismatch(let type, _): "no '\(type)'"
        default: "a value that can't be used, and is not shown since it may be a secret"
        }
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
    /// 128 KiB: what is looked at for it, more than is searched for secrets.
    private static let maximumSnippetBytes = 128 << 10

    private static func snippet(
        of content: [UInt8], at keys: [any CodingKey], without secrets: SecretRedaction
    ) -> String? {
        guard !content.isEmpty else { return nil }
        let steps = keys.map { key in
            key.intValue.map(JSONPlace.Step.index) ?? .key(key.stringValue)
        }
        let isJSON = content.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
            .map { "{[\"".utf8.contains($0) }
        let value =
            isJSON == true ? JSONPlace.text(at: steps, in: content) : content[...]
        return secrets.excerpt(
            of: String(decoding: value.prefix(maximumSnippetBytes), as: UTF8.self),
            upTo: maximumSnippetLength)
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

extension CodingFailure: CustomDebugStringConvertible, CustomReflectable {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has: the error of the decoder may quote a secret.
    public var customMirror: Mirror { Mirror(self, children: ["failure": description]) }
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
