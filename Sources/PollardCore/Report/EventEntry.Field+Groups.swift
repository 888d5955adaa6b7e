// SPDX-License-Identifier: Apache-2.0

/// Fields that several kinds of events have.
extension EventEntry.Field {
    static func endpoint(
        _ name: EndpointName, _ endpoint: WatchedEndpoint?, id: MessageID
    ) -> [Self] {
        var fields = [Self("POLLARD_KIND", id.kind), Self("POLLARD_ENDPOINT", name.rawValue)]
        guard let endpoint else { return fields }
        fields.append(Self("POLLARD_URL", endpoint.displayURL))
        fields.append(Self("POLLARD_METHOD", endpoint.configuration.request.method))
        for label in endpoint.configuration.labels {
            fields.append(Self("POLLARD_LABEL_\(label.name.uppercased())", label.value))
        }
        return fields
    }

    static func failure(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, cause: String, failures: Int,
        id: MessageID, event: String
    ) -> [Self] {
        Self.endpoint(endpoint.name, endpoint, id: id)
            + [Self("POLLARD_EVENT", event)]
            + poll(status: failure.status, duration: failure.timing.total)
            + [
                Self("POLLARD_ATTEMPTS", String(failure.attempts)),
                Self("POLLARD_FAILURE", failure.kind.rawValue),
                Self("POLLARD_PHASE", failure.phase.rawValue),
                Self("POLLARD_ERROR", cause),
                Self("POLLARD_FAILURES", String(failures)),
            ]
    }

    static func network(_ trouble: NetworkState.Trouble, id: MessageID) -> [Self] {
        var fields = [
            Self("POLLARD_KIND", id.kind), Self("POLLARD_HOSTS", String(trouble.silent)),
        ]
        if let lasted = trouble.lasted {
            fields.append(Self("POLLARD_OUTAGE_USEC", String(lasted.wholeMicroseconds)))
        }
        return fields
    }

    static func poll(status: Int?, duration: Duration?) -> [Self] {
        var fields: [Self] = []
        if let status { fields.append(Self("POLLARD_STATUS", String(status))) }
        if let duration {
            fields.append(Self("POLLARD_DURATION_USEC", String(duration.wholeMicroseconds)))
        }
        return fields
    }
}
