// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// One parameter of a query or of a form, not yet encoded.
public struct QueryItem: Sendable, Hashable {
    /// The name; it may repeat among the items of a query.
    public var name: String
    /// The value; nil sends the name alone, without `=`.
    public var value: String?

    /// Makes a parameter from plain text; encoding is left to the request.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// Makes a parameter from a number or another value that is text in one way only.
    public init(_ name: String, _ value: some LosslessStringConvertible) {
        self.init(name, .some(String(value)))
    }

    /// Makes a parameter from an identifier: in lower case, with hyphens.
    public init(_ name: String, _ value: UUID) {
        self.init(name, .some(value.uuidString.lowercased()))
    }

    /// As it stands in a URL: everything but unreserved characters encoded (RFC 3986, 2.3), a space
    /// as `%20` and a plus sign as `%2B`, which every server reads alike.
    var inURL: String {
        let name = PercentEncoding.value(name)
        return value.map { "\(name)=\(PercentEncoding.value($0))" } ?? name
    }

    /// As it stands in a form, which always has the `=`.
    var inForm: String {
        "\(PercentEncoding.formValue(name))=\(PercentEncoding.formValue(value ?? ""))"
    }
}
