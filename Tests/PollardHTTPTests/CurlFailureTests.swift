// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import Testing

@testable import PollardHTTP

/// What no test can bring about without harm to the others.
@Suite struct CurlFailureTests {
    @Test(arguments: [
        (EMFILE, "too many open files; raise the limit of open files"),
        (ENFILE, "too many open files in system; raise the limit of open files"),
        (ENETUNREACH, "network is unreachable; check the network and its routes"),
        (0, "couldn't connect"),
    ])
    func `A connection that can't be made says why`(_ error: Int32, _ cause: String) {
        let failure = CurlFailure(
            code: CURLE_COULDNT_CONNECT, detail: "Couldn't connect",
            origin: Origin(isSecure: true, host: "h.example", port: 443), systemError: error)
        #expect(failure.networkError.code == .connect)
        #expect(failure.networkError.message == "cannot connect to h.example:443: \(cause)")
        #expect(failure.networkError.isHostSilent == (error == ENETUNREACH))
    }

    @Test func `A name without an address is no sign of its host`() {
        let failure = CurlFailure(
            code: CURLE_COULDNT_RESOLVE_HOST,
            origin: Origin(isSecure: true, host: "h.example", port: 443))
        #expect(failure.networkError.code == .nameLookup && failure.networkError.isHostSilent)
    }

    @Test func `A socket that can't be made is remembered until the next hop`() throws {
        let url = try RequestURL("http://127.0.0.1/")
        let pools = try ConnectionPools(CurlTransport.Configuration(), EventPoll())
        let transfer = Transfer(
            Submission(HTTPRequest(url: url.text), url: url), id: 1, in: pools.common,
            maximumHeaderBytes: 1, buffers: AnswerBuffers(), notices: StreamNotices())
        #expect(transfer.openSocket(9999, Int32(SOCK_STREAM.rawValue), 0) == -1)
        #expect(transfer.socketError == EAFNOSUPPORT)
        transfer.begin(now: 0)
        #expect(transfer.socketError == 0)
    }
}
