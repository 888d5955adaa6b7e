// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import Testing

@testable import PollardConfig

@Suite struct ConfigurationFilesTests {
    private static let one = "endpoints: [{name: one, url: http://a.example}]\n"

    @Test func `Files of conf d follow the main file in the order of their names' bytes`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": Self.one,
            "conf.d/b.yaml": "endpoints: [{name: b, api: shared, path: /b}]",
            "conf.d/B.yaml": "endpoints: [{name: B, url: http://b.example}]",
            "conf.d/10.yaml": "apis: {shared: {base_url: http://s.example, interval: 9s}}",
            "conf.d/2.yaml": "endpoints: [{name: two, url: http://c.example}]",
            "conf.d/.hidden.yaml": "][",
            "conf.d/notes.txt": "][",
            "conf.d/empty.yaml": "# nothing yet\n",
        ])
        let configuration = try Fixtures.loader.load(path: files.main)
        #expect(configuration.endpoints.map(\.name.rawValue) == ["one", "two", "B", "b"])
        #expect(configuration.endpoints.last?.request.url == "http://s.example/b")
        #expect(configuration.endpoints.last?.interval == .seconds(9))
    }

    @Test func `Defaults of the main file hold in conf d`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": "defaults: {interval: 7s}",
            "conf.d/a.yaml": Self.one,
        ])
        #expect(
            try Fixtures.loader.load(path: files.main).endpoints.map(\.interval) == [.seconds(7)])
    }

    @Test func `A name in two files is an error that names the first place`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": Self.one + "apis: {shop: {base_url: http://a.example}}\n",
            "conf.d/a.yaml": "\n" + Self.one,
            "conf.d/b.yaml": "apis:\n  shop: {base_url: http://b.example}\n",
        ])
        #expect(
            files.diagnostics() == [
                "conf.d/a.yaml:2:20: error: duplicate endpoint 'one', first on pollard.yaml:1:20",
                "conf.d/b.yaml:2:3: error: duplicate api 'shop', first on pollard.yaml:2:8",
            ])
    }

    @Test func `A file of conf d has only apis and endpoints`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": Self.one,
            "conf.d/a.yaml": "limits: {concurrency: 1}\nendpoint: []\n",
            "conf.d/b.yaml": "[]",
        ])
        #expect(
            files.diagnostics() == [
                "conf.d/a.yaml:1:1: error: 'limits' is not allowed here "
                    + "(only the main file may have it)",
                "conf.d/a.yaml:2:1: error: unknown key 'endpoint' (did you mean 'endpoints'?)",
                "conf.d/b.yaml:1:1: error: the file must be a map with the keys "
                    + "'apis', 'endpoints', not a list",
            ])
    }

    @Test func `All files are read before errors are told, in the order of the files`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": "limits: []\n",
            "conf.d/a.yaml": "endpoints: {}\n",
            "conf.d/b.yaml": "endpoints: [",
        ])
        #expect(
            files.diagnostics() == [
                "pollard.yaml:1:9: error: 'limits' must be a map, not a list",
                "conf.d/a.yaml:1:12: error: 'endpoints' must be a list, not a map "
                    + "(begin each item with '- ')",
                "conf.d/b.yaml:1:13: error: a value is expected here, "
                    + "or the end of the list or map",
            ])
    }

    @Test func `An api in a file that can't be read is not said to be missing`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": "endpoints: [{name: a, api: shop, path: /a, colour: red}]",
            "conf.d/a.yaml": "apis: {shop: {base_url: http://a.example}}}",
        ])
        #expect(
            files.diagnostics() == [
                "pollard.yaml:1:44: error: unknown key 'colour'",
                "conf.d/a.yaml:1:43: error: this line does not fit the map around it "
                    + "(check the indentation of this line and of the one before)",
            ])
    }

    @Test func `A missing file is an error that says what to do`() throws {
        let files = try TemporaryFiles()
        #expect(
            files.diagnostics() == [
                "pollard.yaml: error: there is no such file "
                    + "(create it, or name another one with --config)"
            ])
    }

    @Test func `A directory, a FIFO and a file where conf d should be are errors`() throws {
        let files = try TemporaryFiles(["pollard.yaml": Self.one])
        let directory = Fixtures.diagnostics(path: files.directory)
        #expect(
            directory.map(\.description) == [
                "\(files.directory): error: this is a directory (name the file in it)"
            ])
        #expect(unsafe mkfifo("\(files.directory)/conf.d/a.yaml", 0o600) == 0)
        #expect(
            files.diagnostics() == ["conf.d/a.yaml: error: this is not a regular file"])
        try FileManager.default.removeItem(atPath: "\(files.directory)/conf.d")
        try files.write([], to: "conf.d")
        #expect(files.diagnostics() == ["conf.d: error: can't be read: not a directory"])
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `An unreadable file is an error`() throws {
        let files = try TemporaryFiles(["pollard.yaml": Self.one])
        unsafe chmod(files.main, 0)
        #expect(
            files.diagnostics() == [
                "pollard.yaml: error: can't be read: permission denied "
                    + "(check the owner and the mode)"
            ])
    }

    @Test func `A file that is too large is an error`() throws {
        let files = try TemporaryFiles()
        try files.write([UInt8](repeating: 0x23, count: YAMLLimits().bytes + 1), to: "pollard.yaml")
        #expect(
            files.diagnostics() == [
                "pollard.yaml: error: the file has more than 4194304 bytes "
                    + "(split it into files in 'conf.d')"
            ])
    }

    @Test func `Files are bounded together too`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": Self.one, "conf.d/a.yaml": "# a", "conf.d/b.yaml": "# b",
        ])
        var loader = Fixtures.loader
        loader.totalBytes = Self.one.utf8.count + 5
        let error = #expect(throws: ConfigurationError.self) {
            try loader.load(path: files.main)
        }
        #expect(
            error?.description
                == "\(files.directory)/conf.d/b.yaml: error: "
                + "all files together have more than 53 bytes")
    }

    @Test
    func `A certificate is wanted of an endpoint without TLS: a warning, if it says so itself`()
        throws
    {
        let text = """
            defaults: {expect: {certificate: 30d}}
            endpoints:
              - {name: a, url: "http://a.example"}
              - name: b
                url: HTTP://b.example
                expect: {certificate: 14d}
              - {name: c, url: "https://c.example", expect: {certificate: 14d}}
            """
        let files = try TemporaryFiles(["pollard.yaml": text])
        #expect(
            try files.warnings() == [
                """
                pollard.yaml:6:13: warning: 'certificate' is checked with TLS only, and the URL \
                begins with http: (use https:, or leave it out)
                """
            ])
        let endpoints = try Fixtures.loader.load(path: files.main).endpoints
        #expect(
            endpoints.map(\.expectations.certificate)
                == [30, 14, 14].map { .seconds($0 * 86_400) })
    }

    @Test func `A rate that the intervals can't keep passed without a warning`() throws {
        let text = """
            limits: {per_host_rate: 1/min}
            endpoints:
              - {name: a, url: "http://A.example:8080/a", interval: 1s}
              - {name: b, url: "http://a.example:8080/b", interval: 1s}
              - {name: c, url: "http://a.example/", interval: 1min}
              - {name: d, url: "https://a.example:443/", interval: 40s}
              - {name: e, url: "https://a.example/off", interval: 1s, enabled: false}
            """
        let files = try TemporaryFiles(["pollard.yaml": text])
        let hint = "(raise it, or lengthen their intervals: polls that it delays are left out)"
        #expect(
            try files.warnings() == [
                """
                pollard.yaml:1:25: warning: 'per_host_rate' allows 1/min, and the endpoints at \
                a.example:443 ask for 1.5/min \(hint)
                """,
                """
                pollard.yaml:1:25: warning: 'per_host_rate' allows 1/min, and the endpoints at \
                a.example:8080 ask for 120/min \(hint)
                """,
            ])
    }

    @Test func `What is probably not meant is a warning`() throws {
        let files = try TemporaryFiles([
            "pollard.yaml": "apis: {shop: {base_url: http://a.example}}\nendpoints: []\n",
            "conf.d/a.yml": Self.one,
        ])
        #expect(
            try files.warnings() == [
                "pollard.yaml: warning: there are no endpoints (nothing will be polled)",
                "pollard.yaml:1:8: warning: no endpoint uses the api 'shop'",
                "conf.d/a.yml: warning: this file is not read (call it '*.yaml')",
            ])
        let disabled = try TemporaryFiles([
            "pollard.yaml": "defaults: {enabled: false}\n" + Self.one
        ])
        #expect(
            try disabled.warnings() == [
                "pollard.yaml: warning: all endpoints are disabled (nothing will be polled)"
            ])
        #expect(try TemporaryFiles(["pollard.yaml": Self.one]).warnings() == [])
    }

    @Test(arguments: ["", "# all of it is a comment\n", "limits: {concurrency: 4}\n"])
    func `A file that was cut short does not end all polling`(text: String) throws {
        let files = try TemporaryFiles(["pollard.yaml": text])
        #expect(
            files.diagnostics() == [
                "pollard.yaml: error: nothing says what to poll: there is no 'endpoints' "
                    + "(write 'endpoints: []' if that is meant)"
            ])
        let divided = try TemporaryFiles(["pollard.yaml": text, "conf.d/a.yaml": Self.one])
        #expect(try divided.warnings() == [])
    }

    @Test func `A relative path finds conf d beside it`() throws {
        let files = try TemporaryFiles(["pollard.yaml": "", "conf.d/a.yaml": "[]"])
        let path = "\(files.directory)/../\(files.directory.split(separator: "/").last ?? "")"
        let diagnostics = Fixtures.diagnostics(path: "\(path)/pollard.yaml")
        #expect(diagnostics.map(\.file) == ["\(path)/conf.d/a.yaml"])
    }

    @Test func `A secret is read once however often it is named`() throws {
        let endpoints = (1...5).map {
            "- {name: e\($0), url: http://a.example, auth: {bearer: {credential: token}}}"
        }
        let files = try TemporaryFiles([
            "pollard.yaml": "endpoints:\n" + endpoints.joined(separator: "\n")
        ])
        let source = CountingSecrets()
        _ = try ConfigurationLoader(secrets: source).load(path: files.main)
        #expect(source.count == 1)
    }
}
