// SPDX-License-Identifier: Apache-2.0
internal import CZlib

/// gzip (RFC 1952) and deflate (RFC 1950, or RFC 1951 as some servers have it), by zlib.
@safe final class DeflateDecoder: ContentDecoder {
    /// What the compressed bytes are wrapped in.
    enum Wrapping {
        case gzip
        case zlib
    }

    private(set) var isComplete = false
    private(set) var leftCount = 0
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer: UnsafeMutableRawBufferPointer
    private let wrapping: Wrapping
    private var isStarted = false
    /// Whether what follows the last member is no other one, so that all of it is ignored.
    private var hasTrailer = false

    /// Makes a decoder; zlib is started with the first byte.
    init(_ wrapping: Wrapping) {
        self.wrapping = wrapping
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe buffer = .allocate(byteCount: ContentDecoding.pieceSize, alignment: 16)
    }

    deinit {
        if isStarted { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
        unsafe buffer.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        to output: (UnsafeRawBufferPointer) throws(MalformedContent) -> Bool
    ) throws(MalformedContent) -> Bool {
        if let first = unsafe input.first { try start(firstByte: first) }
        guard isStarted else { return true }
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.bindMemory(to: UInt8.self).baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        while true {
            if isComplete, try !startNextMember() { return true }
            unsafe stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
            unsafe stream.pointee.avail_out = UInt32(buffer.count)
            let result = unsafe inflate(stream, Z_NO_FLUSH)
            let count = unsafe buffer.count - Int(stream.pointee.avail_out)
            if result == Z_STREAM_END { isComplete = true }
            if count > 0, try unsafe !output(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                leftCount = unsafe Int(stream.pointee.avail_in)
                return false
            }
            switch result {
            case Z_STREAM_END: break
            case Z_OK:
                let isUsedUp = unsafe stream.pointee.avail_in == 0
                if isUsedUp, unsafe count < buffer.count { return true }
            // No progress: all of the input is used up.
            case Z_BUF_ERROR: return true
            default: throw MalformedContent()
            }
        }
    }

    /// A zlib stream begins with a method of 8; without that, the wrapping is left out.
    private func start(firstByte: UInt8) throws(MalformedContent) {
        guard !isStarted else { return }
        let windowBits: Int32 =
            switch wrapping {
            case .gzip: 15 + 16
            case .zlib: firstByte & 0x0f == 8 ? 15 : -15
            }
        guard unsafe pollard_zlib_start_inflate(stream, windowBits) == Z_OK else {
            throw MalformedContent()
        }
        isStarted = true
    }

    /// A gzip file may have several members (RFC 1952, 2.2); other bytes after one are ignored.
    private func startNextMember() throws(MalformedContent) -> Bool {
        guard !hasTrailer, unsafe stream.pointee.avail_in > 0 else { return false }
        guard wrapping == .gzip, unsafe stream.pointee.next_in[0] == 0x1f else {
            hasTrailer = true
            return false
        }
        guard unsafe inflateReset(stream) == Z_OK else { throw MalformedContent() }
        isComplete = false
        return true
    }
}
