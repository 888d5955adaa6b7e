// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import Observation

/// The latest value of something that is loaded, for a view model or anyone else who observes it.
///
/// ```swift
/// @MainActor final class PeopleModel {
///     let people: Latest<[Person]>
///
///     init(client: some APIClient) { people = Latest(client, PersonAPI.list(page: 1)) }
///
///     func appear() async { await people.load() }
/// }
/// ```
///
/// It has no actor of its own and is not `Sendable`: it belongs to the actor that made it, the main
/// actor or that of a GUI toolkit in a program with windows, any actor in a server. `load()` runs
/// on the caller's actor, so all that is observed changes there, and only there.
///
/// A value stays until a newer one comes, also when a load fails: `error` then says why the value
/// is not newer. A cancelled load changes neither. Observe it with `withObservationTracking`, or
/// with `Observations` as a sequence.
@Observable
public final class Latest<Value: Sendable> {
    /// The value of the last load that succeeded; until then the initial one.
    public private(set) var value: Value?
    /// Why the last load failed; nil if it succeeded.
    public private(set) var error: NetworkError?
    /// Whether a load is in flight.
    public private(set) var isLoading = false
    /// When `value` was loaded; nil if it never was.
    public private(set) var lastUpdated: Date?

    @ObservationIgnored private let loading: @Sendable () async throws(NetworkError) -> Value
    @ObservationIgnored private let now: @Sendable () -> Date
    @ObservationIgnored private var current: SharedLoad<Value>?

    /// Makes one that loads with a function of yours.
    ///
    /// - Parameters:
    ///   - value: What there is before the first load, as from a store; none by default.
    ///   - now: The time of day; the system's by default.
    ///   - load: Loads the value; a closure spells `() async throws(NetworkError) in`.
    public init(
        _ value: Value? = nil, now: @escaping @Sendable () -> Date = { Date() },
        load: @escaping @Sendable () async throws(NetworkError) -> Value
    ) {
        self.value = value
        self.now = now
        loading = load
    }

    /// Makes one that loads the value of an endpoint, with the endpoint's own method.
    public convenience init(
        _ client: some APIClient, _ endpoint: some Endpoint
    ) where Value: Decodable {
        self.init(load: { () async throws(NetworkError) in try await client.value(for: endpoint) })
    }

    /// Makes one that loads the answer of a request.
    public convenience init(
        _ client: some APIClient, _ request: APIRequest<Value>
    ) where Value: Decodable {
        self.init(client, request.endpoint)
    }

    /// Loads the value; a load in flight is joined, so that many callers cause one request.
    ///
    /// - Returns: How the load ended, which is also observed. If the calling task is cancelled,
    ///   `NetworkError.Code.cancelled` at once; the load goes on while another caller waits for it.
    @discardableResult
    public func load() async -> Result<Value, NetworkError> {
        await outcome(of: joined())
    }

    /// Loads the value anew, as after a change that a load in flight may have missed.
    ///
    /// That load is cancelled, and those who wait for it get the outcome of this one.
    ///
    /// - Returns: As `load()` does.
    @discardableResult
    public func reload() async -> Result<Value, NetworkError> {
        let replaced = current
        current = nil
        let load = joined()
        replaced?.cancel()
        return await outcome(of: load)
    }

    /// A load, and a place among those who wait for it.
    private typealias Joined = (load: SharedLoad<Value>, place: Int?)

    /// The load in flight, or a new one.
    private func joined() -> Joined {
        settle()
        if let current, let place = current.join() { return (current, place) }
        settle()  // It may have ended just now.
        let load = SharedLoad(loading)
        current = load
        isLoading = true
        return (load, load.join())
    }

    private func outcome(of joined: Joined) async -> Result<Value, NetworkError> {
        var (load, place) = joined
        while true {
            let outcome = await load.wait(as: place)
            settle()
            guard case .failure(let error) = outcome, error.code == .cancelled,
                !Task.isCancelled, let current
            else { return outcome }
            (load, place) = (current, current.join())  // A reload took its place.
        }
    }

    /// Takes over the outcome of the load in flight once it has one.
    private func settle() {
        guard let outcome = current?.outcome else { return }
        current = nil
        switch outcome {
        case .success(let newValue):
            value = newValue
            if error != nil { error = nil }  // Who observes it is told of changes only.
            lastUpdated = now()
        case .failure(let newError) where newError.code != .cancelled:
            error = newError
        case .failure: break
        }
        isLoading = false
    }
}
