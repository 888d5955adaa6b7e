// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import Testing

@Suite struct NetworkErrorTests {
    private struct Cause: Error, CustomStringConvertible {
        let description: String
    }

    @Test func `The description names every cause on one line`() {
        let cause = NetworkError(.decoding, "no number", underlying: Cause(description: "at\n/a"))
        let error = NetworkError(.decoding, "cannot decode", underlying: cause)
        #expect(error.description == "cannot decode: no number: at /a")
        #expect(error.errorDescription == error.description)
    }
}
