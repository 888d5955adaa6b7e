// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The bytes of an environment variable; nil if it is not set.
func environmentBytes(_ name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe [UInt8](UnsafeBufferPointer(start: value, count: strlen(value)).map(UInt8.init))
}

/// The text of an environment variable; nil if it is not set or not UTF-8.
func environmentText(_ name: String) -> String? {
    environmentBytes(name).flatMap { String(validating: $0, as: UTF8.self) }
}
