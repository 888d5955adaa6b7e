// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs `body` on a thread of its own, which may block.
///
/// Neither Dispatch nor the cooperative pool serve here: both bound the number of threads.
///
/// - Throws: `SystemCallError` if there can be no further thread.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, threadStackBytes)
    let argument = unsafe Unmanaged.passRetained(ThreadBody(run: body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
        &thread, &attributes,
        { argument in
            if let argument = unsafe argument {
                unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            }
            return nil
        }, argument.toOpaque())
    guard code == 0 else {
        unsafe argument.release()
        throw SystemCallError("pthread_create", code: code)
    }
}

/// Enough for a handler that parses JSON; hundreds of hanging connections stay cheap.
private let threadStackBytes = 512 << 10

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
