// SPDX-License-Identifier: Apache-2.0

/// A real proxy on loopback, ended with the object: tinyproxy(8) or microsocks(1).
package final class ProxyServer: Sendable {
    /// What a proxy speaks.
    package enum Kind: Sendable {
        /// HTTP, with CONNECT for any port.
        case http
        /// SOCKS5.
        case socks5
    }

    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let process: Subprocess
    private let directory: TemporaryDirectory

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - kind: What it speaks.
    ///   - credentials: The user name and password that it wants; nil for none.
    ///   - allowedPort: The only port that it makes tunnels to; nil for all.
    /// - Throws: `TimedOut` if it does not listen.
    package init(
        _ kind: Kind, credentials: (username: String, password: String)? = nil,
        allowedPort: UInt16? = nil
    ) async throws {
        directory = try TemporaryDirectory()
        for attempt in 1... {
            let port = try freePort()
            let process: Subprocess
            switch kind {
            case .http:
                let file = try directory.write(
                    """
                    Port \(port)
                    Listen 127.0.0.1
                    Timeout 600
                    MaxClients 100
                    LogLevel Connect
                    DisableViaHeader Yes
                    \(credentials.map { "BasicAuth \($0.username) \($0.password)" } ?? "")
                    \(allowedPort.map { "ConnectPort \($0)" } ?? "")

                    """, to: "tinyproxy.conf")
                process = try Subprocess("/usr/bin/tinyproxy", ["-d", "-c", file])
            case .socks5:
                let login = credentials.map { ["-u", $0.username, "-P", $0.password] } ?? []
                process = try Subprocess(
                    "/usr/bin/microsocks", ["-i", "127.0.0.1", "-p", String(port)] + login)
            }
            try await waitUntil("the proxy to listen") {
                process.result.status != nil || process.isListening(on: port)
            }
            // Somebody may have taken the port in between: then another is tried.
            if process.result.status == nil || attempt == 5 {
                self.port = port
                self.process = process
                return
            }
        }
        throw SystemCallError("bind")
    }

    deinit { process.kill() }

    /// The URL of the proxy with this scheme.
    package func url(_ scheme: String) -> String { "\(scheme)://127.0.0.1:\(port)" }

    /// Waits until the proxy has logged a connection to somewhere.
    ///
    /// - Throws: `TimedOut`.
    package func waitForLog(of text: String) async throws {
        try await process.wait(for: "the log of \(text)") {
            $0.outputText.contains(text) || $0.errorText.contains(text)
        }
    }

    /// How often its log has a text.
    package func count(of text: String) -> Int {
        let result = process.result
        return (result.outputText + result.errorText).components(of: text)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
