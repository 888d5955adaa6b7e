// SPDX-License-Identifier: Apache-2.0

extension PollPipeline {
    /// Whether a failure counts towards the endpoint's alert: not while no host answers.
    func counts(_ failure: PollFailure, of endpoint: WatchedEndpoint, _ start: Timestamp) -> Bool {
        guard failure.status == nil else {
            noteAnswer(of: endpoint, start)
            return true
        }
        // A connection that broke tells neither that the network works nor that it doesn't.
        guard failure.kind.isOfNetwork else { return networkHealth.troubleSince == nil }
        switch networkHealth.noteFailure(of: endpoint.host, at: start) {
        case .ofHost: return true
        case .ofTrouble: return false
        case .troubleBegins(let hosts):
            let cause = endpoint.redactor.redact(failure.message)
            reporter.report(.networkTrouble(hosts: hosts, kind: failure.kind, cause: cause))
            return false
        }
    }

    /// Notes that a host answered, whatever it said.
    func noteAnswer(of endpoint: WatchedEndpoint, _ start: Timestamp) {
        tellNetworkRecovered(networkHealth.noteAnswer(of: endpoint.host, at: start))
    }

    /// Notes which endpoints are polled from now on, and how they were before.
    package func keepHosts(of endpoints: some Sequence<(WatchedEndpoint, EndpointState)>) {
        let hosts = endpoints.reduce(into: [String: Bool]()) { hosts, watched in
            let (endpoint, state) = watched
            hosts[endpoint.host] = (hosts[endpoint.host] ?? true) && state.alert.isFailing
        }
        tellNetworkRecovered(networkHealth.keep(hosts, at: now()))
    }

    private func tellNetworkRecovered(_ outage: Duration?) {
        if let outage { reporter.report(.networkRecovered(after: outage)) }
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
