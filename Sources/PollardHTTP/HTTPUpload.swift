// SPDX-License-Identifier: Apache-2.0

/// The content of a request that is read from files while it is sent, never as a whole in memory.
///
/// Its length is known before it is sent, from the sizes of the files. Each attempt and each
/// redirect that keeps the content reads the files anew.
///
/// ```swift
/// var request = HTTPRequest(url: "https://api.example.org/backups", method: .put)
/// request.upload = .file("/var/backups/today.tar")
/// ```
public struct HTTPUpload: Sendable, Hashable {
    /// A part of the content.
    enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        case file(String)
    }

    /// What is sent, in order.
    let pieces: [Piece]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// The content of one file.
    ///
    /// - Parameter path: An ordinary file; that it can be read is seen when the request is sent.
    /// - Returns: The content.
    public static func file(_ path: String) -> HTTPUpload { HTTPUpload([.file(path)]) }
}

extension HTTPUpload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The paths of the files, without any content.
    public var description: String {
        let files = pieces.compactMap { piece in
            if case .file(let path) = piece { "'\(path.escaped)'" } else { nil }
        }
        return "an upload of " + (files.isEmpty ? "no file" : files.joined(separator: ", "))
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["upload": description]) }
}
