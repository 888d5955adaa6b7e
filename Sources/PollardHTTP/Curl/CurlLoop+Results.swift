// SPDX-License-Identifier: Apache-2.0
internal import CCurl

/// What callers get to see of a transfer.
extension CurlLoop {
    /// The answer to the current hop.
    func response(of transfer: Transfer, _ handle: CurlHandle) -> HTTPResponse {
        let url = transfer.hop.url
        var response = HTTPResponse(
            status: transfer.head.status, fields: transfer.head.fields, body: transfer.body,
            url: url.text)
        response.version = handle.version
        response.redirectCount = transfer.redirectCount
        response.remoteAddress = handle.remoteAddress
        if url.origin.isSecure { response.certificateExpiry = expiries[transfer.route] }
        response.timing = timing(of: transfer)
        return response
    }

    /// How far a transfer came.
    func timing(of transfer: Transfer) -> HTTPTiming {
        var timing = transfer.handle?.timing ?? HTTPTiming()
        if transfer.nameToLookUp == nil { timing.nameLookup = nil }
        timing.total = .nanoseconds(transfer.spent(now: MonotonicTime.now))
        return timing
    }

    /// Why a transfer failed: by a limit of ours, or as libcurl says.
    func error(of transfer: Transfer, _ handle: CurlHandle, _ code: CURLcode) -> NetworkError {
        let origin = transfer.hop.url.origin
        var error =
            switch transfer.refusal {
            case .bodyTooLarge: NetworkError.bodyTooLarge(origin, transfer.request.maximumBodyBytes)
            case .headersTooLarge:
                NetworkError(
                    .headersTooLarge,
                    "\(origin) sent more than \(transfer.maximumHeaderBytes.inBytes) of fields",
                    hint: "raise 'maximumHeaderBytes' if that is to be expected")
            case .otherVersion:
                NetworkError(
                    .httpVersion, "\(origin) answered by \(handle.version), not HTTP/2",
                    hint: "let the connection options have other versions, or enable it there")
            case .invalidLength:
                NetworkError(
                    .invalidResponse,
                    "\(origin) contradicts itself in how long the content is, or gives no number")
            case .switchedProtocols:
                NetworkError(
                    .invalidResponse,
                    "\(origin) switches to another protocol, which nobody asked for")
            case .malformedContent: NetworkError.malformedContent(origin)
            case .unknownCoding(let name):
                NetworkError(
                    .invalidResponse,
                    "\(origin) sent content in the unknown coding '\(name.escaped)'")
            case .redirectIsKnown, nil:
                transfer.uploadSource?.failure
                    ?? CurlFailure(
                        code: code, detail: handle.errorDetail, origin: origin,
                        systemError: transfer.socketError == 0
                            ? handle.systemError : transfer.socketError,
                        verdict: handle.verdict,
                        timeouts: transfer.request.timeouts,
                        isInHead: transfer.isConnected && !transfer.head.isComplete,
                        connection: transfer.pool.options,
                        proxyAnswer: handle.proxyAnswer
                    ).networkError
            }
        complete(&error, of: transfer, handle)
        return error
    }

    /// Adds how far the request came.
    func complete(_ error: inout NetworkError, of transfer: Transfer, _ handle: CurlHandle) {
        error.timing = timing(of: transfer)
        error.remoteAddress = handle.remoteAddress
        if transfer.head.isComplete {
            error.response = response(of: transfer, handle)
            error.response?.body = []
        }
        if error.code == .timeout {
            // An address is known once TCP is connected, also where the connection is used again.
            error.isHostSilent =
                transfer.isConnected
                ? error.timing.connect == nil && error.timing.firstByte == nil
                : error.remoteAddress == nil
        }
        // The host itself answered, and sent the request on to another.
        if transfer.redirectCount > 0 { error.isHostSilent = false }
    }
}
