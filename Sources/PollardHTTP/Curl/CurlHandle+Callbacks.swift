// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

extension CurlHandle {
    /// Sets what libcurl calls; each is about the transfer in its user pointer.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl lacks one.
    func setCallbacks() throws(NetworkError) {
        try check(
            unsafe pollard_curl_set_data_callback(
                easy, CURLOPT_WRITEFUNCTION
            ) { bytes, size, count, user in
                let length = size * count
                let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
                let transfer = unsafe CurlHandle.transfer(user)
                return switch unsafe transfer.receiveBody(chunk) {
                case .taken: length
                case .refused: 0
                case .postponed: pollard_curl_write_pause
                }
            })
        try check(
            unsafe pollard_curl_set_data_callback(
                easy, CURLOPT_HEADERFUNCTION
            ) { bytes, size, count, user in
                let length = size * count
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
                let transfer = unsafe CurlHandle.transfer(user)
                return unsafe transfer.receiveLine(line.assumingMemoryBound(to: UInt8.self).span)
                    ? length : 0
            })
        try check(
            unsafe pollard_curl_set_data_callback(
                easy, CURLOPT_READFUNCTION
            ) { bytes, size, count, user in
                let place = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                let source = unsafe CurlHandle.transfer(user).uploadSource
                return unsafe source?.read(into: place) ?? pollard_curl_read_abort
            })
        try check(
            unsafe pollard_curl_set_seek_callback(easy) { user, offset, origin in
                guard origin == SEEK_SET,
                    unsafe CurlHandle.transfer(user).uploadSource?.seek(to: Int64(offset)) == true
                else { return CURL_SEEKFUNC_FAIL }
                return CURL_SEEKFUNC_OK
            })
        try check(
            unsafe pollard_curl_set_request_callback(easy) { user, _, _, _, _ in
                unsafe CurlHandle.transfer(user).noteConnected()
                return CURL_PREREQFUNC_OK
            })
        try check(
            unsafe pollard_curl_set_socket_opener(easy) { user, _, address in
                guard let address = unsafe address?.pointee else { return -1 }
                return unsafe CurlHandle.transfer(user).openSocket(
                    address.family, address.socktype, address.protocol)
            })
    }

    /// The transfer that a callback of libcurl is about.
    private static func transfer(_ user: UnsafeMutableRawPointer?) -> Transfer {
        guard let user = unsafe user else { preconditionFailure("libcurl lost its user pointer") }
        return unsafe Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
    }
}
