// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct CertificateExpiriesTests {
    private static let day = CertificateExpiries.checkInterval
    private let origin = Self.route("example.org", 443)

    private static func route(_ host: String, _ port: Int) -> Route {
        Route(origin: Origin(isSecure: true, host: host, port: port), pool: 0)
    }

    @Test(arguments: [
        ("Jan  1 00:00:00 1970 GMT", 0), ("Nov 30 07:40:31 2027 GMT", 1_827_560_431),
        ("Feb 29 23:59:59 2028 GMT", 1_835_481_599), ("Mar  1 00:00:00 2100 GMT", 4_107_542_400),
    ])
    func `OpenSSL's dates are read`(_ text: String, _ seconds: Int64) {
        #expect(CertificateExpiries.seconds(of: text) == seconds)
    }

    @Test(arguments: [
        "", "Nov 30 07:40:31 2027", "Foo 30 07:40:31 2027 GMT", "Nov 30 07:40 2027 GMT",
    ])
    func `Other texts are no dates`(_ text: String) {
        #expect(CertificateExpiries.seconds(of: text) == nil)
    }

    @Test func `A handshake is due once a day, for one request`() {
        var expiries = CertificateExpiries()
        var due: [Bool] = []
        due.append(expiries.isCheckDue(of: origin, now: 5))
        expiries.note(1000, of: origin, now: 10)
        for now in [11, Self.day + 9, Self.day + 10, Self.day + 11, 2 * Self.day + 10] {
            due.append(expiries.isCheckDue(of: origin, now: now))
        }
        #expect(due == [false, false, false, true, false, true])
        #expect(expiries[origin] == 1000)
    }

    @Test func `The number of origins is bounded`() {
        var expiries = CertificateExpiries()
        for port in 0...CertificateExpiries.maximumCount {
            expiries.note(1, of: Self.route("h", port), now: 0)
        }
        #expect(expiries[Self.route("h", 0)] == nil)
        #expect(
            expiries[Self.route("h", CertificateExpiries.maximumCount)] == 1
        )
    }
}
