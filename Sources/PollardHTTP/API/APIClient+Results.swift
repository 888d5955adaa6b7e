// SPDX-License-Identifier: Apache-2.0

// The same call in other forms: an outcome as a value, and a callback.

extension APIClient {
    /// The value of the answer to the request of `endpoint`, or why there is none.
    ///
    /// ```swift
    /// let people: Result<[Person], NetworkError> = await client.result(for: .path("/people"))
    /// ```
    public func result<Value: Decodable>(
        _ type: Value.Type = Value.self, for endpoint: some Endpoint
    ) async -> Result<Value, NetworkError> {
        do throws(NetworkError) {
            return .success(try await value(type, for: endpoint))
        } catch {
            return .failure(error)
        }
    }

    /// Starts the request of `endpoint`, and calls `completion` once with its outcome.
    ///
    /// `completion` runs on the concurrent executor of Swift's tasks, on any of its threads and
    /// with none of the caller's locks; go on from there to a queue or an actor of yours. It is
    /// called exactly once, also after `cancel()`, then with `NetworkError.Code.cancelled` unless
    /// the answer came before. The call itself returns at once.
    ///
    /// ```swift
    /// let request = client.value([Person].self, for: .path("/people")) { print($0) }
    /// request.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - endpoint: What to request.
    ///   - completion: Gets the value, or why there is none.
    /// - Returns: What cancels the request; it goes on if this is dropped.
    @discardableResult
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, for endpoint: some Endpoint,
        completion: @escaping @Sendable (Result<Value, NetworkError>) -> Void
    ) -> RequestHandle {
        RequestHandle(Task { completion(await result(for: endpoint)) })
    }
}

/// A request that was started with a completion handler.
public struct RequestHandle: Sendable, Hashable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// Ends the request soon, if it has not ended; may be called from anywhere, and often.
    public func cancel() { task.cancel() }

    /// Waits until the completion handler has returned.
    public func wait() async { await task.value }
}
