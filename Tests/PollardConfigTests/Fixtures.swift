// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore

@testable import PollardConfig

/// The configuration files under `Fixtures`, and what loads them.
enum Fixtures {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")
    /// The top of the package.
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let invalid = names(in: "invalid")
    static let valid = names(in: "valid")

    static func path(_ name: String, in folder: String) -> String {
        directory.appending(path: "\(folder)/\(name).yaml").path(percentEncoded: false)
    }

    /// Names without their suffix, in order.
    private static func names(in folder: String) -> [String] {
        let path = directory.appending(path: folder).path(percentEncoded: false)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }

    static let loader = ConfigurationLoader(secrets: StubSecrets())

    /// What is wrong with the file at `path`.
    static func diagnostics(path: String) -> [ConfigurationDiagnostic] {
        do throws(ConfigurationError) {
            _ = try loader.load(path: path)
            return []
        } catch {
            return error.diagnostics
        }
    }
}

/// Secrets as tests have them; what is not listed is missing.
struct StubSecrets: SecretSource {
    static let known: [SecretReference: String] = [
        .credential("shop-token"): "hunter2-credential",
        .environment("SHOP_TOKEN"): "hunter2-environment",
        .file("/run/secrets/shop"): "hunter2-file",
        .file("/two/lines"): "hunter2\nhunter3",
    ]

    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        if let value = Self.known[reference] { return Secret(value) }
        switch reference {
        case .credential(let name):
            throw SecretError(
                message: "credential '\(name)' is not there",
                hint: "add LoadCredential=\(name) to the unit")
        case .environment(let name):
            throw SecretError(message: "environment variable '\(name)' is not set")
        case .file(let path):
            throw SecretError(message: "file '\(path)' can't be read")
        }
    }
}
