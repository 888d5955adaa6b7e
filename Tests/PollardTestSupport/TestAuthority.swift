// SPDX-License-Identifier: Apache-2.0

/// A certificate authority of a test's own, made by openssl(1), with certificates for servers.
///
/// Keys are P-256, since an RSA key takes a second to make.
package final class TestAuthority: Sendable {
    /// The certificate of the authority, in PEM form: what a client trusts.
    package let certificate: String
    private let directory: TemporaryDirectory

    /// Makes the authority.
    ///
    /// - Throws: `Failed` with what openssl(1) says.
    package init() async throws {
        directory = try TemporaryDirectory()
        certificate = directory.path(of: "authority.pem")
        try await openssl(
            "req", "-x509", "-subj", "/CN=Pollard test authority", "-days", "2", "-newkey", "ec",
            "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "authority.key", "-out",
            "authority.pem")
    }

    /// A certificate in PEM form and its key.
    package struct Certificate: Sendable, Hashable {
        /// The path of the certificate.
        package let certificate: String
        /// The path of the key.
        package let key: String
    }

    /// openssl(1) said no.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes a server's certificate.
    ///
    /// - Parameters:
    ///   - name: The name of its files.
    ///   - names: Subject alternative names, as in `DNS:localhost`.
    ///   - days: How long it is valid from now; -1 makes one that has expired.
    /// - Returns: The paths of its files.
    /// - Throws: `Failed` with what openssl(1) says.
    package func certificate(
        _ name: String, for names: [String] = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"],
        days: Int = 2
    ) async throws -> Certificate {
        try directory.write(
            "subjectAltName=\(names.joined(separator: ","))\n", to: "\(name).ext")
        try await openssl(
            "req", "-new", "-subj", "/CN=\(name)", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr")
        try await openssl(
            "x509", "-req", "-in", "\(name).csr", "-CA", "authority.pem", "-CAkey",
            "authority.key", "-days", String(days), "-extfile", "\(name).ext", "-out",
            "\(name).pem")
        return Certificate(
            certificate: directory.path(of: "\(name).pem"), key: directory.path(of: "\(name).key"))
    }

    /// When a certificate expires, as openssl(1) prints it.
    ///
    /// - Throws: `Failed` with what openssl(1) says.
    package func expiry(of certificate: Certificate) async throws -> String {
        try await openssl("x509", "-noout", "-enddate", "-in", certificate.certificate)
            .replacing("notAfter=", with: "").replacing("\n", with: "")
    }

    @discardableResult
    private func openssl(_ arguments: String...) async throws -> String {
        let result = try await Subprocess.run(
            "/usr/bin/openssl", arguments, directory: directory.path)
        guard result.status == .exited(0) else { throw Failed(description: result.errorText) }
        return result.outputText
    }
}
