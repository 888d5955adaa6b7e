// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Starts a program as the leader of a process group of its own (posix_spawn(3)).
///
/// - Parameters:
///   - command: The absolute path of the program, and its arguments.
///   - environment: All of it, as `NAME=value`; nil inherits.
///   - descriptors: What become 0, 1 and 2; every other one that a test may have is closed.
/// - Returns: The process.
/// - Throws: `SystemCallError` if it can't be started.
func spawn(
    _ command: [String], environment: [String]?, descriptors: [CInt]
) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    // One that another thread opened just now may not be marked close-on-exec yet; what is not
    // open is skipped. posix_spawn_file_actions_addclosefrom_np is not in `Glibc`.
    for number in CInt(descriptors.count)..<highestDescriptor {
        unsafe posix_spawn_file_actions_addclose(&actions, number)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    // A signal that the tests ignore or block must reach the program.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var process = pid_t()
    let code = unsafe withCStrings(command) { arguments in
        unsafe withCStrings(environment ?? []) { variables in
            let variables = unsafe environment == nil ? environ : variables
            return unsafe posix_spawn(
                &process, command[0], &actions, &attributes, arguments, variables)
        }
    }
    guard code == 0 else { throw SystemCallError("posix_spawn \(command[0])", code: code) }
    return process
}

/// Above what a test run has open at a time.
private let highestDescriptor: CInt = 1024

/// Calls `body` with the texts as C wants them, with nil at the end.
@unsafe private func withCStrings<Answer>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Answer
) -> Answer {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("never empty") }
        return unsafe body(base)
    }
}
