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

        package init() {}
    }
}
