// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PollardCore
import PollardTestSupport
import Testing

/// Secrets of every kind, sent to servers that send them back in every way.
@Suite(.needsSystemdMachine, .serialized) struct SecretLeakTests {
    /// Each kind of secret, with characters that are written otherwise in URLs, JSON and HTML.
    private static let secrets = [
        "credential": "cred/S3cr3t+1&x", "env": "env/S3cr3t+2'x", "file": "file/S3cr3t+3\"x",
        "plain": "plain/S3cr3t+4<x", "header": "header/S3cr3t+5>x", "query": "query/S3cr3t+6=x",
        "password": "pass/S3cr3t+7:x", "form": "form/S3cr3t+8 x", "url": "url-S3cr3t-9x",
    ]

    /// What every secret has in it in whatever form, and a part of the password as it is sent.
    private static let patterns = [
        "S3cr3t",
        String(
            Data("me:\(secrets["password"] ?? "")".utf8).base64EncodedString().dropFirst(4).prefix(
                12)),
    ]

    /// Sends back all that it was sent, differently each time.
    private static func echo(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let authorization = request["Authorization"] ?? request["X-Key"] ?? ""
        let sent = authorization + " " + request.target + " " + request.text
        let slashes = sent.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("/", with: "\\/")
        let token = String(authorization.split(separator: " ").last ?? "")
        switch request.path {
        case "/text": return .text("\(request.number) you sent \(sent)\n", ["ETag": "\"\(token)\""])
        case "/page":
            let page = sent.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
                .replacing("'", with: "&#39;")
            let body = Array("<p>\(request.number) \(page)</p>".utf8)
            return [.respond(500, ["Content-Type": "text/html"], body: body)]
        case "/bad-json": return .json("{\(sent)")
        case "/redirect": return .redirect(to: "ftp://127.0.0.1/?key=\(token)")
        case "/landing":
            return .redirect(
                to: "/json?landed=\(token.replacing("\"", with: "%22").replacing("<", with: "%3c"))"
            )
        case "/bad-status": return [.text("HTTP/1.1 \(sent)\r\n\r\n"), .close]
        case "/bad-type": return [.respond(200, ["Content-Type": "text/\(token)"], body: [0x31])]
        case "/bad-coding": return .text("x", ["Content-Encoding": token])
        case "/bad-charset": return .text("x", ["Content-Type": "text/plain; charset=\"\(token)\""])
        case "/hang": return .hang
        default:
            return .json(#"{"number": \#(request.number), "you": "\#(slashes)"}"#)
        }
    }

    private static func endpoint(_ name: String, _ url: String, _ rest: String) -> String {
        "  - {name: \(name), url: \"\(url)\", interval: 1s, retry: {attempts: 1}, \(rest)}\n"
    }

    private static func configuration(_ server: LoopbackServer, _ noTLS: LoopbackServer) -> String {
        func quoted(_ kind: String) -> String {
            let text = secrets[kind] ?? ""
            return "\"\(text.replacing("\"", with: "\\\""))\""
        }
        let kinds = [
            ("credential", "auth: {bearer: {credential: token}}"),
            ("env", "auth: {bearer: {env: TOKEN}}"),
            ("file", "auth: {bearer: {file: /etc/pollard/token}}"),
            ("plain", "auth: {bearer: \(quoted("plain"))}"),
            ("header", "auth: {header: {name: X-Key, value: \(quoted("header"))}}"),
            ("basic", "auth: {basic: {username: me, password: \(quoted("password"))}}"),
            ("query", "query: {access_token: \(quoted("query"))}"),
            (
                "form",
                "method: POST, form: {password: \(quoted("form")), more: {file: /etc/pollard/token}}"
            ),
            ("own", "headers: {Authorization: {file: /etc/pollard/token}}"),
        ]
        let paths = [
            "json", "text", "page", "bad-json", "redirect", "landing", "bad-status", "bad-type",
            "bad-coding", "bad-charset",
        ]
        var text = "limits: {per_host: 100}\nendpoints:\n"
        for (kind, rest) in kinds {
            for path in paths { text += endpoint("\(kind)-\(path)", server.url("/\(path)"), rest) }
        }
        // Failures of the connection, with a token in the URL.
        let key = "?key=\(secrets["url"] ?? "")"
        let host = String(repeating: "a", count: 64) + ".invalid"
        text += endpoint("dns", "http://\(host)/\(key)", "timeout: 5s")
        text += endpoint("tls", "https://\(noTLS.authority)/\(key)", "timeout: 5s")
        text += endpoint("timeout", server.url("/hang\(key)"), "timeout: 100ms")
        return text
    }

    @Test
    func `No secret is in the journal, the store, the runtime directory or a command's output`()
        async throws
    {
        let server = try LoopbackServer(handler: Self.echo)
        let noTLS = try LoopbackServer(greeting: [.text("hello\r\n"), .close]) { _ in .close }
        defer {
            server.stop()
            noTLS.stop()
        }
        let configuration = Self.configuration(server, noTLS)
        let run = try await PollardMachine.run(
            configuration: configuration,
            """
            cd /etc/pollard
            printf %s '\(Self.secrets["file"] ?? "")' >token
            printf %s '\(Self.secrets["credential"] ?? "")' >credential
            extend_unit pollard <<END
            LoadCredential=token:/etc/pollard/credential
            Environment="TOKEN=\(Self.secrets["env"] ?? "")"
            END
            systemctl start pollard
            until_entries 9 MESSAGE_ID=\(MessageID.changed.rawValue)
            until_entries 40 MESSAGE_ID=\(MessageID.failing.rawValue)
            sed --in-place 's/interval: 1s/interval: 2s/' pollard.yaml
            systemctl reload pollard
            until_entries 40 MESSAGE_ID=\(MessageID.changed.rawValue)
            pid=$(show pollard MainPID)

            mkdir /tmp/out
            export CREDENTIALS_DIRECTORY=/run/credentials/pollard.service
            export TOKEN="\(Self.secrets["env"] ?? "")"
            names=$(sed --quiet 's/^  - {name: \\([a-z-]*\\),.*/\\1/p' pollard.yaml \
                | grep --extended-regexp '^((file|query)-|dns|tls|timeout)')
            pollard status >/tmp/out/status
            pollard status --json >/tmp/out/status.json
            pollard check >/tmp/out/check 2>&1
            # shellcheck disable=SC2086
            pollard poll $names >/tmp/out/poll 2>&1 || true
            # shellcheck disable=SC2086
            pollard poll $names --json >/tmp/out/poll.json 2>&1 || true
            for name in {credential-json,env-text,file-landing,query-json,form-text,basic-bad-type}; do
                pollard history "$name" >>/tmp/out/history 2>&1 || true
                pollard history "$name" --json >>/tmp/out/history.json 2>&1 || true
                pollard diff "$name" >>/tmp/out/diff 2>&1 || true
                for number in $(pollard history "$name" --json --limit 2 2>/dev/null | jq .change); do
                    pollard show "$name" "$number" >>/tmp/out/show
                done
            done
            unset TOKEN CREDENTIALS_DIRECTORY
            systemctl status --full --lines=1000 pollard >/tmp/out/systemctl
            ps -p "$pid" -o args= >/tmp/out/arguments
            systemctl show --property=StatusText,StatusErrno,Result pollard >/tmp/out/properties
            grep '^Max core' "/proc/$pid/limits" >/tmp/out/core
            ps --ppid "$pid" -o pid= >/tmp/out/children || true
            # Not even to its own user; a core dump that is piped away asks the same question.
            setpriv --reuid="$(stat --format=%u /run/pollard)" --regid=65534 --clear-groups \\
                cat "/proc/$pid/environ" 2>/dev/null || echo protected
            systemctl stop pollard
            journalctl --sync
            journalctl --all --output=export _COMM=pollard >/tmp/out/journal
            cp -r /var/lib/private/pollard /tmp/out/store
            cp -r /run/pollard /tmp/out/runtime 2>/dev/null || true

            tr --squeeze-repeats ' ' </tmp/out/core
            wc --bytes </tmp/out/children
            grep --count --fixed-strings '[secret]' /tmp/out/show >/dev/null && echo shown
            grep --count --fixed-strings '[secret]' /tmp/out/journal >/dev/null && echo told
            grep --recursive --text --only-matching --extended-regexp \\
                '.{0,60}(\(Self.patterns.joined(separator: "|"))).{0,20}' /tmp/out | tr --complement --delete '[:print:]\\n' | head || true
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == "protected\nMax core file size 0 0 bytes \n0\nshown\ntold\n",
            "\(run.errors)")
        // All of them were sent.
        let seen = server.requests.map {
            "\($0.target) \($0.text) \($0["Authorization"] ?? "") \($0["X-Key"] ?? "")"
        }.joined(separator: "\n")
        for number in [1, 2, 3, 4, 5, 6, 8] {
            let isSent = seen.contains("S3cr3t+\(number)") || seen.contains("S3cr3t%2B\(number)")
            #expect(isSent, "\(number)")
        }
        #expect(seen.contains("S3cr3t-9"))
        #expect(seen.contains(Self.patterns[1]))
    }
}
