// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct CertificateWatchTests {
    private var watch = CertificateWatch()
    private let expiry = Timestamp(microseconds: 100 * 86_400_000_000)

    /// So long before the certificate expires.
    private func before(_ time: Duration) -> Timestamp { expiry.advanced(by: .zero - time) }

    private func days(_ count: Double) -> Duration { .seconds(count * 86_400) }

    private mutating func note(left: Duration, minimum: Duration? = .seconds(14 * 86_400))
        -> Duration?
    {
        watch.note(expiry: expiry, minimum: minimum, at: before(left))
    }

    @Test mutating func `A certificate with less life than wanted is told once a day`() {
        #expect(note(left: days(14)) == nil)
        #expect(note(left: days(13.9)) == days(13.9))
        #expect(note(left: days(13.8)) == nil)
        #expect(note(left: days(12.91)) == nil)
        #expect(note(left: days(12.9)) == days(12.9))
        #expect(note(left: days(12)) == nil)
    }

    @Test mutating func `A poll a second early still tells, so that daily polls tell daily`() {
        #expect(note(left: days(5)) == days(5))
        let early = days(4) + .seconds(1)
        #expect(note(left: early) == early)
    }

    @Test mutating func `A renewed certificate ends it, and the next one is told at once`() {
        #expect(note(left: days(2)) == days(2))
        let renewed = expiry.advanced(by: days(90))
        #expect(watch.note(expiry: renewed, minimum: days(14), at: before(days(1.9))) == nil)
        #expect(watch == CertificateWatch())
        #expect(note(left: days(1.8)) == days(1.8))
    }

    @Test mutating func `Nothing is told that is not asked for`() {
        #expect(note(left: days(1), minimum: nil) == nil)
        #expect(watch.note(expiry: nil, minimum: days(14), at: before(days(1))) == nil)
        #expect(watch == CertificateWatch())
    }

    @Test mutating func `An answer without a certificate changes nothing`() {
        #expect(note(left: days(2)) == days(2))
        #expect(watch.note(expiry: nil, minimum: days(14), at: before(days(1.9))) == nil)
        #expect(note(left: days(1.8)) == nil)
    }

    @Test mutating func `An expired certificate on a kept connection is told with what it lacks`() {
        #expect(note(left: .zero - days(0.5)) == .zero - days(0.5))
    }

    @Test mutating func `A clock set back tells again rather than never`() {
        #expect(note(left: days(2)) == days(2))
        #expect(note(left: days(9)) == days(9))
        #expect(note(left: days(8.9)) == nil)
    }
}
