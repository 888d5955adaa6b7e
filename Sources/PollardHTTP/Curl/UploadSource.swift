// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Reads the content of an upload piece by piece, for libcurl; confined to the loop's thread.
///
/// Reading from a disk may hold up the loop for the time of one access, as no reading without
/// waiting exists for files (open(2)); the kernel is told to read ahead.
final class UploadSource {
    /// The length of all pieces, in bytes.
    let length: Int64
    /// Why a piece could not be read; nil if each could.
    private(set) var failure: NetworkError?

    private let segments: [Segment]
    /// The next piece to read from, and the place in it.
    private var index = 0
    private var offset: Int64 = 0

    private struct Segment {
        var content: Content
        var length: Int64
    }

    private enum Content {
        case bytes([UInt8])
        case file(OpenFile)
    }

    /// Opens every file, and notes its size.
    ///
    /// - Throws: `NetworkError.Code.file` with the path of a file that can't be read.
    init(_ upload: HTTPUpload) throws(NetworkError) {
        var segments: [Segment] = []
        var length: Int64 = 0
        for piece in upload.pieces {
            let segment: Segment
            switch piece {
            case .bytes(let bytes):
                segment = Segment(content: .bytes(bytes), length: Int64(bytes.count))
            case .file(let path):
                let file = try OpenFile(reading: path)
                segment = Segment(content: .file(file), length: try file.size())
            }
            length += segment.length
            segments.append(segment)
        }
        self.segments = segments
        self.length = length
    }

    /// Reads the next bytes.
    ///
    /// - Returns: The number of bytes, 0 at the end; nil if a file can't be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while index < segments.count {
            let segment = segments[index]
            let count = min(Int64(buffer.count), segment.length - offset)
            guard count > 0 else {
                index += 1
                offset = 0
                continue
            }
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(count)])
            switch segment.content {
            case .bytes(let bytes):
                unsafe place.copyBytes(from: bytes[Int(offset)..<Int(offset + count)])
                offset += count
                return Int(count)
            case .file(let file):
                do throws(NetworkError) {
                    let read = try unsafe file.read(into: place, at: offset)
                    offset += Int64(read)
                    return read
                } catch {
                    failure = error
                    return nil
                }
            }
        }
        return 0
    }

    /// Goes to a place counted from the start: libcurl begins anew on another connection.
    ///
    /// - Returns: Whether there is such a place.
    func seek(to place: Int64) -> Bool {
        guard (0...length).contains(place) else { return false }
        index = 0
        offset = place
        while index < segments.count, offset > segments[index].length {
            offset -= segments[index].length
            index += 1
        }
        return true
    }
}
