// SPDX-License-Identifier: Apache-2.0

/// The whole configuration: validated, defaults applied, secrets read.
package struct Configuration: Sendable, Equatable {
    /// All endpoints in the order of the files, disabled ones too.
    package var endpoints: [EndpointConfiguration] = []
    package var limits = Limits()
    /// The database file, if the configuration names one.
    package var storePath: String?

    package init() {}

    /// Bounds on what is done at the same time.
    package struct Limits: Sendable, Equatable {
        /// Requests in flight altogether.
        package var concurrency = 256
        /// Requests in flight to one host and port; 6 is what browsers allow themselves.
        package var perHost = 6
        /// How fast requests to one host and port may follow each other; nil for any rate.
        package var perHostRate: Rate?

        package init() {}

        /// So many requests within so long, as in `100/min`.
        package struct Rate: Sendable, Equatable {
            /// The number of requests.
            package var count: Int
            /// The time within which as many may begin.
            package var period: Duration

            package init(count: Int, period: Duration) {
                self.count = count
                self.period = period
            }
        }
    }
}
