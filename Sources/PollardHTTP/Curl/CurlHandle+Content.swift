// SPDX-License-Identifier: Apache-2.0
internal import CCurl

extension CurlHandle {
    /// The size above which a server is asked whether it wants the content of an upload before it
    /// is sent (`Expect: 100-continue`; RFC 9110, 10.1.1), in bytes: libcurl's own.
    ///
    /// It then waits up to a second for the server's word.
    static let expectationSize: Int64 = 1 << 20

    /// Sets the method, and where the content comes from.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func setMethodAndBody(
        of hop: Hop, _ source: UploadSource?
    ) throws(NetworkError) {
        // In this order: POSTFIELDS makes it a POST, HTTPGET and NOBODY take that back.
        if let source {
            try set(CURLOPT_POST, 1)
            // Without bytes libcurl asks READFUNCTION for them.
            try check(unsafe pollard_curl_set_bytes(easy, CURLOPT_POSTFIELDS, nil))
            try check(
                unsafe pollard_curl_set_size(
                    easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(source.length)))
            try set(CURLOPT_CUSTOMREQUEST, text: hop.method.rawValue)
        } else if let body = hop.contentToSend {
            try set(CURLOPT_POST, 1)
            try check(
                unsafe pollard_curl_set_size(
                    easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // One byte for an empty content, since a null pointer means none.
            let result = unsafe (body.isEmpty ? [0] : body).withUnsafeBytes { bytes in
                unsafe pollard_curl_set_bytes(
                    easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
            }
            try check(result)
            try set(CURLOPT_CUSTOMREQUEST, text: hop.method.rawValue)
        } else {
            try set(CURLOPT_HTTPGET, 1)
            try set(CURLOPT_NOBODY, hop.method == .head ? 1 : 0)
            let isPlain = hop.method == .get || hop.method == .head
            try set(CURLOPT_CUSTOMREQUEST, text: isPlain ? nil : hop.method.rawValue)
        }
    }

    /// Sets the header fields.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func setFields(of hop: Hop, _ source: UploadSource?) throws(NetworkError) {
        var lines: [String] = []
        lines.reserveCapacity(hop.fields.lines.count + 2)
        for field in hop.fields.lines {
            // "Name:" would remove a field that libcurl sends by itself; "Name;" sends it empty.
            let isBlank = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            lines.append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if connection.tls.serverName != nil, hop.url.origin.isSecure, hop.fields["Host"] == nil {
            // The URL that libcurl gets has the server's name as its host.
            lines.append("Host: \(hop.url.origin.authority)")
        }
        if hop.contentToSend != nil || source != nil {
            // Asking costs a round trip, or a second where the server has no word for it.
            let isLarge = source.map { $0.length > Self.expectationSize } ?? false
            if !isLarge { lines.append("Expect:") }
            // libcurl would name a type of its own.
            if hop.fields["Content-Type"] == nil { lines.append("Content-Type:") }
        }
        try sendLines(lines)
    }
}

extension Hop {
    /// The content, empty where the method expects some: then `Content-Length: 0` is sent
    /// (RFC 9110, 8.6).
    var contentToSend: [UInt8]? {
        if let body { return body }
        return [HTTPMethod.post, .put, .patch].contains(method) ? [] : nil
    }
}
