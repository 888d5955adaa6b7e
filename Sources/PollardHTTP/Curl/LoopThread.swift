// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// The one thread that runs a loop, and owns it.
@safe struct LoopThread: ~Copyable, Sendable {
    private let thread: pthread_t

    /// Starts a thread that runs `loop` until its mailbox is closed.
    ///
    /// All signals are blocked in it: they belong to the program's own threads, and a write to a
    /// broken connection fails with EPIPE instead of SIGPIPE, without a process-wide setting.
    ///
    /// - Throws: `NetworkError.Code.transport` if there can be no further thread.
    init(_ loop: sending CurlLoop) throws(NetworkError) {
        let context = unsafe Unmanaged.passRetained(loop).toOpaque()
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let loop = unsafe Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue()
                unsafe pollard_thread_set_name("pollard-http")
                loop.run()
                return nil
            }, context)
        unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard result == 0 else {
            unsafe Unmanaged<CurlLoop>.fromOpaque(context).release()
            throw NetworkError(system: "start the thread for requests", result)
        }
        self.thread = thread
    }

    /// Waits for the end of the loop.
    consuming func join() { pthread_join(thread, nil) }
}
