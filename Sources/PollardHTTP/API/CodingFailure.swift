// SPDX-License-Identifier: Apache-2.0

/// Where and why a value could not be encoded or decoded: the cause that a `NetworkError` has.
public struct CodingFailure: Error, Sendable, CustomStringConvertible {
    /// The place in the document, as `people[3].name`; empty for the whole of it.
    public let path: String
    /// Why, in one clause.
    public let reason: String
    /// The error of the encoder or decoder.
    public let underlying: any Error

    /// Reads the place and the reason out of the error of an encoder or decoder.
    init(_ error: any Error) {
        underlying = error
        switch error {
        case let error as DecodingError: (path, reason) = Self.explain(error)
        case EncodingError.invalidValue(_, let context):
            (path, reason) = (Self.path(context.codingPath), context.clause)
        default: (path, reason) = ("", String(describing: error))
        }
    }

    /// Place and reason on one line, as `people[3].name: there is no such key`.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    private static func explain(_ error: DecodingError) -> (path: String, reason: String) {
        switch error {
        case .keyNotFound(let key, let context):
            (path(context.codingPath + [key]), "there is no such key")
        case .valueNotFound(let type, let context):
            (path(context.codingPath), "null instead of '\(type)'")
        case .typeMismatch(let type, let context):
            (path(context.codingPath), "no '\(type)': \(context.clause)")
        case .dataCorrupted(let context):
            (path(context.codingPath), context.clause)
        @unknown default: ("", String(describing: error))
        }
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
