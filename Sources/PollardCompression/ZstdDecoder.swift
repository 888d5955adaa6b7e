// SPDX-License-Identifier: Apache-2.0
internal import CZstd

/// zstd (RFC 8878), by libzstd.
@safe final class ZstdDecoder: ContentDecoder {
    /// The largest window that a server may ask memory for: 8 MiB, as RFC 9659 has it.
    static let maximumWindowLog: Int32 = 23

    private(set) var isComplete = false
    private(set) var leftCount = 0
    private let stream: OpaquePointer?
    private let buffer: UnsafeMutableRawBufferPointer

    /// Makes a decoder; without memory for one, the first byte is malformed.
    init() {
        unsafe stream = ZSTD_createDStream()
        _ = unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.maximumWindowLog)
        unsafe buffer = .allocate(byteCount: ContentDecoding.pieceSize, alignment: 16)
    }

    deinit {
        unsafe ZSTD_freeDStream(stream)
        unsafe buffer.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        to output: (UnsafeRawBufferPointer) throws(MalformedContent) -> Bool
    ) throws(MalformedContent) -> Bool {
        guard let stream = unsafe stream else { throw MalformedContent() }
        // Asked for more, the decoder would begin another frame.
        if isComplete, unsafe input.isEmpty { return true }
        var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        while true {
            var target = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            let result = unsafe ZSTD_decompressStream(stream, &target, &source)
            guard ZSTD_isError(result) == 0 else { throw MalformedContent() }
            // Another frame may follow: the content is complete between two frames.
            isComplete = result == 0
            let count = unsafe target.pos
            if count > 0, try unsafe !output(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                leftCount = unsafe source.size - source.pos
                return false
            }
            // A frame that ends with a full piece has nothing left: asking for more begins another.
            let isDrained = unsafe isComplete || target.pos < target.size
            if isDrained, unsafe source.pos == source.size { return true }
        }
    }
}
