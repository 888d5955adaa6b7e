// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardSystemd

@Suite struct SystemSecretSourceTests {
    private let directory: TemporaryDirectory
    private let source: SystemSecretSource

    init() throws {
        let directory = try TemporaryDirectory()
        let variables = ["CREDENTIALS_DIRECTORY": directory.path, "TOKEN": "t0p", "EMPTY": ""]
        self.directory = directory
        source = SystemSecretSource {
            $0 == "BINARY" ? [0xFF] : variables[$0].map { Array($0.utf8) }
        }
    }

    @Test(arguments: [
        ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"),
        ("s3cret\n\n", "s3cret\n"), (" s3cret ", " s3cret "), ("two\nlines\n", "two\nlines"),
    ])
    func `One newline at the end of a file is not part of the secret`(
        content: String, secret: String
    ) throws {
        let path = try directory.write(content, to: "github-token")
        #expect(try source.secret(for: .credential("github-token")).reveal() == secret)
        #expect(try source.secret(for: .file(path)).reveal() == secret)
    }

    @Test func `An environment variable is taken as it is`() throws {
        #expect(try source.secret(for: .environment("TOKEN")).reveal() == "t0p")
    }

    @Test func `A credential that is missing comes with the line for the unit`() {
        #expect(
            error(for: .credential("github-token"))
                == SecretError(
                    message: "credential 'github-token' is not there",
                    hint: "add LoadCredential=github-token:/etc/pollard/github-token to the unit"))
    }

    @Test func `Without systemd's credentials the error says so`() {
        let source = SystemSecretSource { _ in nil }
        #expect(
            error(for: .credential("token"), from: source)
                == SecretError(
                    message: "credential 'token' is not there: "
                        + "systemd has given this process no credentials",
                    hint: "add LoadCredential=token:/etc/pollard/token to the unit"))
    }

    @Test(arguments: ["", ".", "..", "../x", "/etc/passwd", "a:b", "ä", "a\nb"])
    func `A credential's name can't lead out of its directory`(name: String) {
        #expect(
            error(for: .credential(name))
                == SecretError(
                    message: "credential '\(name == "a\nb" ? "a b" : name)' has no valid name",
                    hint: "a name is a file name in ASCII of at most 255 bytes, "
                        + "without '/' and ':'"))
    }

    @Test func `An environment variable that is not set is an error`() {
        #expect(
            error(for: .environment("NOPE"))
                == SecretError(
                    message: "environment variable 'NOPE' is not set",
                    hint: "set it in a file named by EnvironmentFile= in the unit, "
                        + "or use a credential instead"))
        #expect(
            error(for: .environment("EMPTY"))?.message == "environment variable 'EMPTY' is empty")
        #expect(
            error(for: .environment("BINARY"))?.message
                == "environment variable 'BINARY' is not text")
    }

    @Test func `What is no secret in a file is an error that doesn't show it`() throws {
        let cases: [([UInt8], String)] = [
            ([], "is empty"),
            ([0x0A], "is empty"),
            ([0x73, 0x00], "is not text"),
            ([0x73, 0xFF], "is not text"),
            (Array(repeating: 0x73, count: (64 << 10) + 1), "is longer than 64 KiB"),
        ]
        for (content, complaint) in cases {
            let path = try directory.write(content, to: "secret")
            #expect(error(for: .file(path))?.message == "file '\(path)' \(complaint)")
        }
        let path = try directory.write(Array(repeating: 0x73, count: 64 << 10), to: "secret")
        #expect(try source.secret(for: .file(path)).reveal().utf8.count == 64 << 10)
    }

    @Test func `A directory, a FIFO and a missing file are errors at once`() throws {
        let fifo = directory.path(of: "fifo")
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        #expect(error(for: .file(fifo))?.message == "file '\(fifo)' is not a regular file")
        let path = directory.path
        #expect(error(for: .file(path))?.message == "file '\(path)' is not a regular file")
        #expect(error(for: .file("/nonexistent"))?.message == "file '/nonexistent' is not there")
        #expect(
            error(for: .file("/etc/passwd/x"))?.message
                == "file '/etc/passwd/x' cannot be read: not a directory")
    }

    private func error(
        for reference: SecretReference, from other: SystemSecretSource? = nil
    ) -> SecretError? {
        #expect(throws: SecretError.self) { try (other ?? source).secret(for: reference) }
    }
}
