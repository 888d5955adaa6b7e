// SPDX-License-Identifier: Apache-2.0

/// What the loop keeps of a transfer whose content is read while it comes; confined to its thread.
final class StreamOutput {
    /// Where the content goes.
    let channel: ContentChannel
    /// Content of this round, delivered at its end.
    var pending: [UInt8] = []
    /// Whether the head of the final answer is complete.
    var isHeadReady = false
    /// Whether the task has got the head.
    var isHeadDelivered = false
    /// Whether libcurl was told to pause.
    var isPaused = false
    /// Whether the loop knows that there is something to deliver.
    var isNoted = false

    /// Makes the output of a stream that has not begun.
    init(_ channel: ContentChannel) { self.channel = channel }

    /// Takes a piece of the content, unless the reader has enough to read.
    ///
    /// - Returns: False to pause: libcurl gives the same piece again later.
    func receive(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard !channel.pauses(pending: pending.count) else {
            isPaused = true
            return false
        }
        unsafe pending.append(contentsOf: chunk)
        return true
    }
}

/// The transfers with something to deliver at the end of the round.
final class StreamNotices {
    private var transfers: [Transfer] = []

    /// Makes an empty list.
    init() {}

    /// Notes a transfer, once a round.
    func note(_ transfer: Transfer) {
        guard let stream = transfer.stream, !stream.isNoted else { return }
        stream.isNoted = true
        transfers.append(transfer)
    }

    /// The transfers that were noted; none are from now on.
    func take() -> [Transfer] {
        guard !transfers.isEmpty else { return [] }
        let noted = transfers
        transfers.removeAll(keepingCapacity: true)
        for transfer in noted { transfer.stream?.isNoted = false }
        return noted
    }
}
