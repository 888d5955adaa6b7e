// SPDX-License-Identifier: Apache-2.0
internal import CBrotli

/// br (RFC 7932), by libbrotlidec.
@safe final class BrotliDecoder: ContentDecoder {
    private(set) var isComplete = false
    private(set) var leftCount = 0
    private let state: OpaquePointer?
    private let buffer: UnsafeMutableRawBufferPointer

    /// Makes a decoder; without memory for one, the first byte is malformed.
    init() {
        unsafe state = BrotliDecoderCreateInstance(nil, nil, nil)
        unsafe buffer = .allocate(byteCount: ContentDecoding.pieceSize, alignment: 16)
    }

    deinit {
        unsafe BrotliDecoderDestroyInstance(state)
        unsafe buffer.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        to output: (UnsafeRawBufferPointer) throws(MalformedContent) -> Bool
    ) throws(MalformedContent) -> Bool {
        guard let state = unsafe state else { throw MalformedContent() }
        var next = unsafe input.bindMemory(to: UInt8.self).baseAddress
        var left = input.count
        while !isComplete {
            var place = unsafe buffer.bindMemory(to: UInt8.self).baseAddress
            var room = unsafe buffer.count
            let result = unsafe BrotliDecoderDecompressStream(
                state, &left, &next, &room, &place, nil)
            let count = unsafe buffer.count - room
            if result == BROTLI_DECODER_RESULT_SUCCESS { isComplete = true }
            if count > 0, try unsafe !output(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                leftCount = left
                return false
            }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS: return true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            default: throw MalformedContent()
            }
        }
        return true
    }
}
