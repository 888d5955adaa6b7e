// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import PollardCore

/// Reads secrets from systemd's credentials, the environment and files.
package struct SystemSecretSource: SecretSource {
    /// The longest secret in bytes: more than any header field that a server would take.
    package static let maximumSecretBytes = 64 << 10

    private let environment: @Sendable (String) -> [UInt8]?

    /// A source over the environment of the process.
    package init() {
        self.init(environment: { environmentBytes($0) })
    }

    /// - Parameter environment: Gives an environment variable's bytes, nil if it is not set.
    init(environment: @escaping @Sendable (String) -> [UInt8]?) {
        self.environment = environment
    }

    package func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        switch reference {
        case .credential(let name): try credential(named: name)
        case .environment(let name): try variable(named: name)
        case .file(let path): try Self.secret(inFile: path, called: "file '\(path.singleLine)'")
        }
    }

    private func credential(named name: String) throws(SecretError) -> Secret {
        let what = "credential '\(name.singleLine)'"
        guard Self.isValid(credentialName: name) else {
            throw SecretError(
                message: "\(what) has no valid name",
                hint: "a name is a file name in ASCII of at most 255 bytes, without '/' and ':'")
        }
        let hint = "add LoadCredential=\(name):/etc/pollard/\(name) to the unit"
        guard let bytes = environment("CREDENTIALS_DIRECTORY"), !bytes.isEmpty else {
            throw SecretError(
                message: "\(what) is not there: systemd has given this process no credentials",
                hint: hint)
        }
        let path = String(decoding: bytes, as: UTF8.self) + "/" + name
        return try Self.secret(inFile: path, called: what, hintIfMissing: hint)
    }

    /// Whether systemd takes it as the name of a credential (systemd.exec(5), `LoadCredential=`).
    private static func isValid(credentialName name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !name.contains("/") && !name.contains(":")
    }

    private func variable(named name: String) throws(SecretError) -> Secret {
        let what = "environment variable '\(name.singleLine)'"
        guard let bytes = environment(name) else {
            throw SecretError(
                message: "\(what) is not set",
                hint: "set it in a file named by EnvironmentFile= in the unit, "
                    + "or use a credential instead")
        }
        return try Self.secret(bytes, called: what)
    }

    private static func secret(
        inFile path: String, called what: String, hintIfMissing: String? = nil
    ) throws(SecretError) -> Secret {
        var bytes: [UInt8]
        do {
            bytes = try SmallFile.contents(ofFile: path, limit: maximumSecretBytes)
        } catch {
            switch error {
            case .system(let code) where code == ENOENT:
                throw SecretError(message: "\(what) is not there", hint: hintIfMissing)
            case .system(let code):
                throw SecretError(message: "\(what) cannot be read: \(SystemdError.text(of: code))")
            case .notRegular:
                throw SecretError(message: "\(what) is not a regular file")
            case .tooLarge:
                throw SecretError(message: "\(what) is longer than 64 KiB")
            }
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return try secret(bytes, called: what)
    }

    private static func secret(
        _ bytes: [UInt8], called what: String
    ) throws(SecretError) -> Secret {
        guard !bytes.isEmpty else { throw SecretError(message: "\(what) is empty") }
        guard bytes.count <= maximumSecretBytes else {
            throw SecretError(message: "\(what) is longer than 64 KiB")
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw SecretError(
                message: "\(what) is not text",
                hint: "a secret is UTF-8 without NUL; encode other bytes, as in base64")
        }
        return Secret(text)
    }
}
