// SPDX-License-Identifier: Apache-2.0

/// The kinds of events, each with the 128-bit id that it has in the journal for ever.
///
/// Chosen at random once; `systemd/pollard.catalog` explains each (sd_journal(3), catalog).
package enum MessageID: String, Sendable, CaseIterable {
    case firstSnapshot = "fdea86a3c0a04706a16d13fa009eafc5"
    case changed = "d88e1c8bd2164bb5a2cc47241346be99"
    case failing = "75be3d10fdc24bfbbd7faa6c78db65ca"
    case stillFailing = "81aa095fa69a46f49e4887ebb94cf1fd"
    case recovered = "0f2380d7988b433e8aea1fa04aa4006c"
    case started = "98ddf4cb39f94d358ecda08f4b0e389d"
    case stopping = "89ca316072f44cf2acd0407408613ec6"
    case reloaded = "1d85d27e84444b03b777ee18c1d4c33f"
    case configurationRejected = "f5ef87a670664df3aecea309f96f2875"
    case storeTrouble = "5681831466054f7b9327980b0766c61f"
    case overrunning = "d2e02de4a5bd4b72aef849bd251bc047"
    case late = "8a7bd76008d84fb68488cebf0659f5da"
    case certificateExpiring = "9c5b14a82d5f4b75b3b6866789ade262"
    case networkTrouble = "9bb8c6c159d44b6d9c29774d320caa67"
    case networkRecovered = "7e10dab089d94061aa0c54eac9c65018"
    case networkUnclear = "1a905fa8a0664fd09e5b8c699d51cf8e"
    /// One poll, at debug level, with `--verbose`.
    case polled = "aaaf843abc21417e8400d33daa573a83"
    case configurationWarning = "726b79cdb12f4cc5b0d05e1972e38861"
    case notifyTrouble = "d0f948443b364ec2a4c858236ff5d026"
    case eventFileTrouble = "448888416345410ca62dba8b1fedcc3d"

    /// The journal's `POLLARD_KIND`, and the name in JSON lines.
    package var kind: String {
        switch self {
        case .firstSnapshot: "first-snapshot"
        case .changed: "changed"
        case .failing: "failing"
        case .stillFailing: "still-failing"
        case .recovered: "recovered"
        case .started: "started"
        case .stopping: "stopping"
        case .reloaded: "reloaded"
        case .configurationRejected: "configuration-rejected"
        case .storeTrouble: "store-trouble"
        case .overrunning: "overrunning"
        case .late: "late"
        case .certificateExpiring: "certificate-expiring"
        case .networkTrouble: "network-trouble"
        case .networkRecovered: "network-recovered"
        case .networkUnclear: "network-unclear"
        case .polled: "polled"
        case .configurationWarning: "configuration-warning"
        case .notifyTrouble: "notify-trouble"
        case .eventFileTrouble: "event-file-trouble"
        }
    }
}
