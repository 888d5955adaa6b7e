// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardSystemd

@Suite struct ServiceStateTests {
    @Test(arguments: [
        (ServiceState.ready, "READY=1"),
        (.reloading(monotonicMicroseconds: 1_234_567), "RELOADING=1\nMONOTONIC_USEC=1234567"),
        (.stopping, "STOPPING=1"),
        (.status("3 endpoints, 1 failing"), "STATUS=3 endpoints, 1 failing"),
        (.watchdog, "WATCHDOG=1"),
        (.extendTimeout(.milliseconds(1500)), "EXTEND_TIMEOUT_USEC=1500000"),
        (.extendTimeout(.seconds(-1)), "EXTEND_TIMEOUT_USEC=0"),
        (.errno(13), "ERRNO=13"),
        (.exitStatus(78), "EXIT_STATUS=78"),
    ])
    func `A state is a line of the protocol`(state: ServiceState, line: String) {
        #expect(state.assignment == line)
    }

    @Test func `A status can't add a line, a control character or an end of its own`() {
        let state = ServiceState.status("a\nREADY=1\r\u{0}\u{1b}[31m\u{2028}z")
        #expect(state.assignment == "STATUS=a READY=1   [31m z")
    }

    @Test func `A long status is cut between two characters`() {
        let state = ServiceState.status(String(repeating: "é", count: 600))
        #expect(state.assignment == "STATUS=" + String(repeating: "é", count: 510) + "…")
    }
}
