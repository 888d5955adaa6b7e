// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardTestSupport

@testable import PollardHTTP

/// A directory for a queue of deferred requests, and what its tests look for in it.
struct Outbox {
    let directory: TemporaryDirectory
    var path: String { directory.path(of: "outbox") }

    init() throws { directory = try TemporaryDirectory() }

    /// The files of requests, damaged ones included, in order.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.contains(DeferredFileName.request) }.sorted()
    }

    /// Cuts a file, as a loss of power may.
    func damage(_ file: String) throws {
        try directory.write(directory.read("outbox/\(file)").dropLast(), to: "outbox/\(file)")
    }

    /// Whether any file has this text in it.
    func contains(_ text: String) throws -> Bool {
        try files().contains { file in
            String(decoding: try directory.read("outbox/\(file)"), as: UTF8.self).contains(text)
        }
    }
}

extension HTTPRequest {
    /// A request that changes something.
    static func note(_ text: String) -> HTTPRequest {
        HTTPRequest(url: "https://h/notes", method: .post, body: Array(text.utf8))
    }

    /// Its content.
    var text: String { String(decoding: body ?? [], as: UTF8.self) }
}

extension StubTransport {
    /// A server that is not there.
    static func down() -> StubTransport {
        StubTransport(.failure(NetworkError(.connect, "cannot connect to h:443: refused")))
    }

    /// A server that takes everything.
    static func up(_ status: Int = 201) -> StubTransport {
        StubTransport(.success(HTTPResponse(status: status)))
    }
}
