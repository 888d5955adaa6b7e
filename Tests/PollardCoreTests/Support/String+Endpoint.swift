// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

extension String {
    /// The endpoint's name that this text is.
    var endpoint: EndpointName {
        get throws { try #require(EndpointName(rawValue: self)) }
    }
}
