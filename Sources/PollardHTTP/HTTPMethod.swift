// SPDX-License-Identifier: Apache-2.0

/// A request method (RFC 9110, 9): case-sensitive, and an open set.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, as in `GET`.
    public let rawValue: String

    /// Makes a method from its name, which is sent as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Transfers a representation of the resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Like GET, but without the content.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Lets the resource process the content.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource by the content.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes the resource as the content says (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes the resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Describes the communication options of the resource.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Sends the request back as the server got it.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// Whether sending a request twice means the same as once (RFC 9110, 9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// The method's name.
    public var description: String { rawValue }
}
