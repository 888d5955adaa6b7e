// SPDX-License-Identifier: Apache-2.0

internal import CZstd

/// Compresses bodies with Zstandard (RFC 8878), alone or as a difference to a body before.
///
/// Owns its contexts; used by one actor or task at a time.
@safe
package final class ZstdCodec {
    /// zstd's own default: higher levels cost several times the time for a tenth less space.
    private static let level: Int32 = 3
    /// The smallest window, 2^17 bytes: below it a larger one costs nothing.
    private static let minimumWindowLog = 17
    /// The largest window, 2^27 bytes: what every decoder accepts unasked.
    private static let maximumWindowLog = 27

    private let compressor: OpaquePointer
    private let decompressor: OpaquePointer

    /// Makes both contexts.
    ///
    /// - Throws: `ZstdError` if there is no memory left.
    package init() throws(ZstdError) {
        guard let compressor = unsafe ZSTD_createCCtx() else {
            throw ZstdError(reason: "out of memory")
        }
        guard let decompressor = unsafe ZSTD_createDCtx() else {
            unsafe ZSTD_freeCCtx(compressor)
            throw ZstdError(reason: "out of memory")
        }
        unsafe self.compressor = compressor
        unsafe self.decompressor = decompressor
    }

    deinit {
        unsafe ZSTD_freeCCtx(compressor)
        unsafe ZSTD_freeDCtx(decompressor)
    }

    /// Compresses `body` to one frame with a checksum.
    ///
    /// - Parameters:
    ///   - body: The bytes to compress.
    ///   - prefix: A similar body, without which the frame can't be read again.
    /// - Returns: The frame.
    /// - Throws: `ZstdError` if there is not enough memory.
    package func compress(_ body: [UInt8], prefix: [UInt8] = []) throws(ZstdError) -> [UInt8] {
        unsafe ZSTD_CCtx_reset(compressor, ZSTD_reset_session_and_parameters)
        try set(ZSTD_c_compressionLevel, Self.level)
        try set(ZSTD_c_checksumFlag, 1)
        if !prefix.isEmpty {
            // Prefix and body must fit into the window, else only a part of the prefix is used.
            try set(ZSTD_c_windowLog, Self.windowLog(for: prefix.count + body.count))
            try set(ZSTD_c_enableLongDistanceMatching, 1)
        }
        let capacity = ZSTD_compressBound(body.count)
        var result = 0
        // The prefix is referred to, not copied: it lives until the frame is complete.
        let frame = unsafe prefix.withUnsafeBytes { bytes in
            if !prefix.isEmpty {
                // It can't fail right after a reset.
                _ = unsafe ZSTD_CCtx_refPrefix(compressor, bytes.baseAddress, bytes.count)
            }
            return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { frame, count in
                result = unsafe ZSTD_compress2(
                    compressor, frame.baseAddress, capacity, body, body.count)
                count = ZSTD_isError(result) == 0 ? result : 0
            }
        }
        try check(result)
        return frame
    }

    /// The body in `frame`.
    ///
    /// - Parameters:
    ///   - frame: What `compress` made.
    ///   - size: The body's size in bytes; a frame that claims another one is refused.
    ///   - prefix: The body that was given to `compress`.
    /// - Returns: The body.
    /// - Throws: `ZstdError` if the frame is damaged, or the prefix is another one.
    package func decompress(
        _ frame: [UInt8], size: Int, prefix: [UInt8] = []
    ) throws(ZstdError) -> [UInt8] {
        // Checked first, so that no damaged size allocates memory without bounds.
        guard size >= 0, unsafe ZSTD_getFrameContentSize(frame, frame.count) == UInt64(size) else {
            throw ZstdError(reason: "wrong size")
        }
        unsafe ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_and_parameters)
        var result = 0
        let body = unsafe prefix.withUnsafeBytes { bytes in
            if !prefix.isEmpty {
                // It can't fail right after a reset.
                _ = unsafe ZSTD_DCtx_refPrefix(decompressor, bytes.baseAddress, bytes.count)
            }
            return unsafe [UInt8](unsafeUninitializedCapacity: size) { body, count in
                result = unsafe ZSTD_decompressDCtx(
                    decompressor, body.baseAddress, size, frame, frame.count)
                count = ZSTD_isError(result) == 0 ? result : 0
            }
        }
        try check(result)
        return body
    }

    private func set(_ parameter: ZSTD_cParameter, _ value: Int32) throws(ZstdError) {
        try check(unsafe ZSTD_CCtx_setParameter(compressor, parameter, value))
    }

    private func check(_ result: Int) throws(ZstdError) {
        guard ZSTD_isError(result) == 0 else {
            throw ZstdError(reason: unsafe String(cString: ZSTD_getErrorName(result)))
        }
    }

    /// The logarithm of the smallest window that holds `count` bytes.
    private static func windowLog(for count: Int) -> Int32 {
        let needed = Int.bitWidth - max(count - 1, 0).leadingZeroBitCount
        return Int32(min(max(needed, minimumWindowLog), maximumWindowLog))
    }
}

/// Why zstd failed.
package struct ZstdError: Error {
    /// zstd's name for it, as in `Restored data doesn't match checksum`.
    package let reason: String
}
