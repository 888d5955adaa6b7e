// SPDX-License-Identifier: Apache-2.0
import CCurl
import FoundationEssentials
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What a person reads: one line that says what happened and what to do, without secrets.
@Suite struct NetworkErrorTests {
    private struct Cause: Error, CustomStringConvertible {
        let description: String
    }

    private struct Person: Codable, Sendable {
        var name: String
        var token: Int?
    }

    @Test func `The description names every cause on one line, and then what to do`() {
        let cause = NetworkError(.decoding, "no number", underlying: Cause(description: "at\n/a"))
        let error = NetworkError(
            .decoding, "cannot decode", hint: "send a number", underlying: cause)
        #expect(error.description == "cannot decode: no number: at /a; send a number")
        #expect(error.errorDescription == error.description)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (1000, "1000 bytes"), (1024, "1 KiB"),
        (1025, "1025 bytes"), (16 << 20, "16 MiB"), (3 << 30, "3 GiB"), (-1024, "-1024 bytes"),
    ])
    func `Sizes are given as people say them`(bytes: Int, text: String) {
        #expect(bytes.inBytes == text)
    }

    // MARK: - What the server says

    private func line(
        _ response: HTTPResponse, to endpoint: some Endpoint = .path("/p")
    ) async -> String? {
        var client = NetworkManager(
            transport: StubTransport(.success(response)), baseURL: "https://h",
            authentication: .bearer("hunter2"), retry: .never)
        client.headers = ["Accept": "application/json"]
        guard case .failure(let error) = await client.result(Person.self, for: endpoint) else {
            return nil
        }
        return error.description
    }

    private static let problem = "application/problem+json; charset=utf-8"

    @Test(arguments: [
        ("", "text/plain", ""), ("no more\n", "text/plain; charset=utf-8", ": 'no more'"),
        ("<h1>No</h1>", "text/html", ""), (" \n", "text/plain", ""),
        (String(repeating: "x", count: 201), "text/plain", ""),
        (#"{"message":"gone"}"#, "application/json", #": '{"message":"gone"}'"#),
        (
            #"{"title":"Out of credit.","detail":"The\n balance is 30."}"#, problem,
            ": 'Out of credit.: The balance is 30.'"
        ),
        (#"{"title":"Out of credit"}"#, problem, ": 'Out of credit'"),
        (#"{"detail":"It is 30"}"#, problem, ": 'It is 30'"),
        (#"{"type":"about:blank"}"#, problem, #": '{"type":"about:blank"}'"#),
        (#"{"title":1}"#, problem, #": '{"title":1}'"#),
        ("not JSON", problem, ": 'not JSON'"),
        (
            #"{"detail":"Bearer hunter2 and key1 are bad"}"#, problem,
            ": 'Bearer [removed] and [removed] are bad'"
        ),
    ])
    func `A server error says the reason and what the server says`(
        body: String, type: String, said: String
    ) async {
        var endpoint = AnyEndpoint(path: "/p", query: [QueryItem("api_key", "key1")])
        endpoint.method = .put
        let response = HTTPResponse(
            status: 403, fields: ["Content-Type": type], body: Array(body.utf8))
        #expect(
            await line(response, to: endpoint)
                == "the server answered 403 Forbidden to PUT https://h/p\(said)")
    }

    @Test func `A status without a standard reason stands alone`() async {
        #expect(
            await line(HTTPResponse(status: 599), to: .path("/p"))
                == "the server answered 599 to GET https://h/p")
    }

    @Test func `What can't be decoded is shown without secrets`() async {
        let type = "the content can't be decoded as 'Person'"
        let secret = HTTPResponse.json(#"{"name": "a", "token": "hunter3"}"#)
        #expect(
            await line(secret, to: .path("/p"))
                == "\(type): token: no 'Int'")
        let echo = HTTPResponse.json(#"{"n": "Bearer hunter2", "password": "hunter3"}"#)
        #expect(
            await line(echo, to: .path("/p"))
                == "\(type): name: there is no such key, "
                + #"in '{"n": "Bearer [removed]", "password":"[removed]"}'"#)
    }

    @Test func `What can't be encoded says where`() async {
        let client = NetworkManager(
            transport: StubTransport(.success(HTTPResponse(status: 200))), baseURL: "https://h")
        let error = await #expect(throws: NetworkError.self) {
            try await client.post(.path("/p"), ["a": [1, Double.infinity]])
        }
        #expect(
            error?.description
                == "the content can't be encoded from 'Dictionary<String, Array<Double>>': a[1]: "
                + "unable to encode Double.inf directly in JSON")
    }

    // MARK: - What libcurl says

    @Test(
        arguments: [
            (
                CURLE_FILESIZE_EXCEEDED, "",
                "the request to h:443 failed: maximum file size exceeded (libcurl error 63)"
            ),
            (
                CURLE_INTERFACE_FAILED, "Couldn't bind to 'eth7'",
                "the request to h:443 failed: couldn't bind to 'eth7' (libcurl error 45)"
            ),
            (
                CURLE_COULDNT_RESOLVE_HOST, "",
                "the name 'h' has no address; check its spelling and the name server"
            ),
            (
                CURLE_SSL_CONNECT_ERROR, "TLS connect error: alert handshake failure",
                "the TLS handshake with h:443 failed: TLS connect error: alert handshake failure"
            ),
            (CURLE_OPERATION_TIMEDOUT, "", "no connection to h:443 within 10 s"),
        ] as [(CURLcode, String, String)])
    func `A failure of libcurl has its code and text`(
        code: CURLcode, detail: String, line: String
    ) {
        let failure = CurlFailure(
            code: code, detail: detail, origin: Origin(isSecure: true, host: "h", port: 443))
        #expect(failure.networkError.description == line)
        #expect(failure.networkError.curl?.code == Int(code.rawValue))
    }

    @Test(arguments: [
        (NetworkError.Timeout.total, "no complete answer from h:443 within 30 s"),
        (.connect, "no connection to h:443 within 10 s"), (.idle, "h:443 sent nothing for 1.5 s"),
    ])
    func `A timeout says which limit passed`(limit: NetworkError.Timeout, line: String) {
        var timeouts = HTTPRequest.Timeouts()
        timeouts.idle = .milliseconds(1500)
        let origin = Origin(isSecure: true, host: "h", port: 443)
        let error = NetworkError(limit, of: timeouts, for: origin)
        #expect(error.description == line)
        #expect(error.code == .timeout)
        #expect(error.timeout == limit)
    }

    // MARK: - Over real connections

    @Test func `Limits that are passed say which property to raise`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/loop"
                ? .redirect(to: "/loop") : .text(String(repeating: "x", count: 1025))
        }
        defer { server.stop() }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(), retry: .never)
        let large = await client.result(
            String.self, for: .path("/large").with { $0.maximumBodyBytes = 1 << 10 })
        #expect(
            large.failure?.description
                == "\(server.authority) sent more than 1 KiB of content; "
                + "raise 'maximumBodyBytes' if that is to be expected")
        let loop = await client.result(
            String.self, for: .path("/loop").with { $0.maximumRedirects = 2 })
        #expect(
            loop.failure?.description
                == "\(server.authority) redirects more than 2 times; "
                + "look for a loop, or raise 'maximumRedirects'")
    }

    @Test func `No line has a secret of the request, even if the server repeats all of it`()
        async throws
    {
        let server = try LoopbackServer { request in
            let fields = request.fields.lines.map { "\($0.name): \($0.value)" }
            let echo = ([request.target] + fields + [request.text]).joined(separator: " ")
            return request.path == "/text"
                ? .text(String(echo.suffix(190)), status: 400) : .json("[\"\(echo)\"]")
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.userAgent = "t"
        var client = NetworkManager(
            transport: try CurlTransport(configuration: configuration), baseURL: server.url(),
            authentication: .basic(username: "me", password: "hunter2"), retry: .never)
        client.headers = ["Accept": "*/*"]
        for path: URLPath in ["/text", "/json"] {
            var endpoint = AnyEndpoint(path: path, query: [QueryItem("token", "hunter2+")])
            endpoint.headers = ["X-Key": "hunter2 key"]
            endpoint.credentialFields = ["X-Key"]
            let result = await client.result(Person.self, for: endpoint)
            let line = try #require(result.failure?.description)
            #expect(line.contains("[removed]"))
            #expect(!line.contains("hunter2") && !line.contains("bWU6aHVudGVyMg"), "\(line)")
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
