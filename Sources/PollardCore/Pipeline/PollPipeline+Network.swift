// SPDX-License-Identifier: Apache-2.0

extension PollPipeline {
    /// Whether a failure counts towards the endpoint's alert: not as part of network trouble.
    func counts(
        _ failure: PollFailure, of endpoint: WatchedEndpoint, after state: EndpointState,
        _ start: Timestamp
    ) -> Bool {
        guard failure.status == nil else {
            noteAnswer(of: endpoint, start)
            return true
        }
        guard !endpoint.isOnLoopback else { return true }
        guard failure.isHostSilent else {
            tell(networkHealth.noteOtherFailure(of: endpoint.host, at: start))
            return true
        }
        let verdict = networkHealth.noteSilence(
            of: endpoint.host, isNew: state.isAnswered, at: start)
        switch verdict {
        case .ofHost: return true
        case .ofTrouble: return false
        case .toTell(let trouble):
            let cause = endpoint.redactor.redact(failure.message)
            reporter.report(.networkTrouble(trouble, kind: failure.kind, cause: cause))
            return false
        }
    }

    /// Notes that a host answered, whatever it said.
    func noteAnswer(of endpoint: WatchedEndpoint, _ start: Timestamp) {
        guard !endpoint.isOnLoopback else { return }
        tell(networkHealth.noteAnswer(of: endpoint.host, at: start))
    }

    /// Notes which endpoints are polled from now on, and how they were before.
    package func keepHosts(of endpoints: some Sequence<(WatchedEndpoint, EndpointState)>) {
        let hosts = endpoints.reduce(into: [String: Bool]()) { hosts, watched in
            let (endpoint, state) = watched
            guard !endpoint.isOnLoopback else { return }
            hosts[endpoint.host] = (hosts[endpoint.host] ?? false) || state.isAnswered
        }
        tell(networkHealth.keep(hosts, at: now()))
    }

    private func tell(_ end: NetworkState.End?) {
        switch end {
        case .recovered(let outage): reporter.report(.networkRecovered(after: outage))
        case .unclear(let trouble): reporter.report(.networkUnclear(trouble))
        case nil: break
        }
    }

    /// Tells once a day that the server's certificate has less life left than is wanted.
    func warnOfCertificate(
        _ expiry: Timestamp?, _ endpoint: WatchedEndpoint, _ start: Timestamp,
        _ state: inout EndpointState
    ) {
        let left = state.certificate.note(
            expiry: expiry,
            minimum: endpoint.configuration.expectations.certificate, at: start)
        guard let left, let expiry else { return }
        // Told before it is stored that it was told: a crash in between repeats it.
        reporter.report(
            .certificateExpiring(endpoint, expiry: expiry, left: left, event: newEvent()))
    }
}

extension EndpointState {
    /// Whether the last poll was answered, or was silent only as part of network trouble.
    fileprivate var isAnswered: Bool {
        guard let lastPoll else { return false }
        return lastPoll.status != nil || alert.consecutiveFailures == 0
    }
}
