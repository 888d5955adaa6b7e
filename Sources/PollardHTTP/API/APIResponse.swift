// SPDX-License-Identifier: Apache-2.0

/// A decoded answer together with all that is known of how it came.
///
/// ```swift
/// let response = try await client.response(of: [Person].self, for: .path("/people"))
/// print(response.value.count, response.status, response.headers["ETag"] ?? "no tag")
/// ```
public struct APIResponse<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The whole answer.
    public var http: HTTPResponse

    /// Makes one, as a stub for tests does.
    public init(value: Value, http: HTTPResponse) {
        self.value = value
        self.http = http
    }

    /// The status, from 200 to 299.
    public var status: Int { http.status }
    /// The header fields of the answer.
    public var headers: HTTPFields { http.fields }
    /// The content as it was received, decompressed.
    public var body: [UInt8] { http.body }
    /// The URL that answered, after redirects.
    public var url: String { http.url }
    /// How long each phase of the last attempt took.
    public var timing: HTTPTiming { http.timing }
    /// How each attempt ended, the last one included.
    public var history: [HTTPAttempt] { http.history }
}

extension APIResponse: Equatable where Value: Equatable {}
extension APIResponse: Hashable where Value: Hashable {}
