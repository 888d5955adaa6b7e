// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and URL, without the query and the fields, which may hold secrets.
    public var description: String { "\(method) \(url.prefix { $0 != "?" })" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": description, "fields": fields.lines.map(\.name).joined(separator: ", "),
            ])
    }
}
