// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A real server that answers as its URLs say: httpbin, served by gunicorn on loopback.
///
/// `script/install-dependencies --for-tests` installs both. One is started for all tests, and ends
/// with their process.
package final class HttpbinServer: Sendable {
    private static let starting = Task { try await HttpbinServer() }

    /// The server of all tests, started with the first use.
    ///
    /// - Throws: `TimedOut` with what it wrote, if it does not start.
    package static var shared: HttpbinServer {
        get async throws { try await starting.value }
    }

    private let process: Subprocess
    private let authority: String

    private init() async throws {
        let python = "\(ProjectFiles.root)/.build/httpbin/bin/python"
        process = try Subprocess(
            python,
            [
                "-m", "gunicorn", "-c", "\(ProjectFiles.root)/Tests/httpbin/gunicorn.conf.py",
                "httpbin:app",
            ])
        let mark = "Listening at: http://"
        let result = try await process.wait(for: "httpbin to listen") {
            $0.status != nil || $0.errorText.contains("Booting worker")
        }
        let start = result.errorText.firstRange(of: mark)?.upperBound
        guard let start else {
            throw TimedOut(what: "httpbin, which wrote: \(result.errorText)", limit: testPatience)
        }
        authority = String(result.errorText[start...].prefix { $0 != " " })
    }

    /// The URL of `target`, which begins with a slash.
    package func url(_ target: String) -> String { "http://\(authority)\(target)" }

    /// The host and the port.
    package var host: String { authority }
}
