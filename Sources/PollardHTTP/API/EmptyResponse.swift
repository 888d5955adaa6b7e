// SPDX-License-Identifier: Apache-2.0

/// A value that an answer without content stands for, as one with status 204 has none.
///
/// `Optional` is nil then. For a list of one's own it may be the empty list.
public protocol ExpressibleByEmptyContent {
    /// What no content means.
    static var emptyContent: Self { get }
}

extension Optional: ExpressibleByEmptyContent {
    /// Nil.
    public static var emptyContent: Self { nil }
}

/// An answer whose content is not looked at.
///
/// ```swift
/// extension APIRequest where Response == EmptyResponse {
///     static func archive(id: Int) -> Self { .post("/people/\(id)/archive") }
/// }
/// ```
public struct EmptyResponse: Codable, Sendable, Hashable, ExpressibleByEmptyContent {
    /// Makes one.
    public init() {}

    /// One.
    public static var emptyContent: Self { Self() }
}
