// SPDX-License-Identifier: Apache-2.0

/// Several reporters as one; each is told of every event, in order.
package struct Reporters: Reporting {
    private let reporters: [any Reporting]

    package init(_ reporters: [any Reporting]) { self.reporters = reporters }

    package func report(_ entry: EventEntry) {
        for reporter in reporters { reporter.report(entry) }
    }

    package func forget(_ name: EndpointName) {
        for reporter in reporters { reporter.forget(name) }
    }
}
