// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// Runs an actor on a queue of its own, so that waiting for the disk blocks no other task.
///
/// Dispatch queues are no executors on Linux (`DispatchSerialQueue` is not there).
final class DiskExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Makes the executor; `label` names its queue for debuggers.
    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
