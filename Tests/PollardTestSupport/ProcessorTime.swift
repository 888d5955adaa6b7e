// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processor time that this thread spends on `work`: the same however loaded the machine is.
package func processorTime(of work: () throws -> Void) rethrows -> Duration {
    let start = processorTimeOfThread()
    try work()
    return processorTimeOfThread() - start
}

private func processorTimeOfThread() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
