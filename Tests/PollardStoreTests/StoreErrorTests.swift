// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import PollardStore

@Suite struct StoreErrorTests {
    // Result codes by number, since only PollardStore imports SQLite: https://sqlite.org/rescode.html
    @Test(
        arguments: [
            (5, 0, .locked, "the store '/s/p.db' is locked by another process"),
            (261, 0, .locked, "the store '/s/p.db' is locked by another process"),
            (8, 0, .readOnly, "the store '/s/p.db' is read-only"),
            (11, 0, .corrupt, "the store '/s/p.db' is damaged: detail"),
            (26, 0, .notADatabase, "'/s/p.db' is not a store of pollard: it is not a database"),
            (13, 0, .full, "the store '/s/p.db' could not be written: the disk is full"),
            (778, ENOSPC, .full, "the store '/s/p.db' could not be written: the disk is full"),
            (778, EDQUOT, .full, "the store '/s/p.db' could not be written: the disk is full"),
            (266, EIO, .io, "the store '/s/p.db' could not be read or written: input/output error"),
            (10, 0, .io, "the store '/s/p.db' could not be read or written: detail"),
            (14, EROFS, .readOnly, "the store '/s/p.db' is read-only"),
            (14, ENOENT, .missing, "no store at '/s/p.db'"),
            (14, EACCES, .permission, "the store '/s/p.db' may not be opened: permission denied"),
            (3, 0, .permission, "the store '/s/p.db' may not be opened: permission denied"),
            (
                14, EMFILE, .io,
                "the store '/s/p.db' could not be read or written: too many open files"
            ),
            (7, 0, .other, "the store '/s/p.db' failed: detail"),
        ] as [(Int32, Int32, StoreError.Code, String)])
    func `A result of SQLite is said in words that tell what is wrong`(
        result: Int32, systemError: Int32, code: StoreError.Code, message: String
    ) {
        let error = StoreError(
            result: result, detail: "detail", systemError: systemError, path: "/s/p.db")
        #expect(error.code == code)
        #expect(error.message == message)
    }

    @Test func `A description is message and hint in one line`() {
        #expect(StoreError(.other, "what is wrong").description == "what is wrong")
        #expect(StoreError(.io, "wrong", hint: "do this").description == "wrong; do this")
    }
}
