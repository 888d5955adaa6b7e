// SPDX-License-Identifier: Apache-2.0

// What is printed or dumped ends up in logs, so it has no secrets: no query, userinfo or field
// values, and no content.

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and URL, without the parts that may hold secrets.
    public var description: String { "\(method) \(url.withoutSecrets)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "fields": fields.names])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, URL without the parts that may hold secrets, and size of the content in bytes.
    public var description: String { "\(status) \(url.withoutSecrets), \(body.count) bytes" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "fields": fields.names])
    }
}

extension HTTPFields {
    fileprivate var names: String { lines.map(\.name).joined(separator: ", ") }
}

extension String {
    /// A URL without userinfo, query and fragment.
    ///
    /// By scalars: a question mark and a combining mark after it are one `Character`.
    var withoutSecrets: String {
        let url = unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        let start = url.firstRange(of: "://".unicodeScalars)?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { url.index(after: $0) } ?? start
        return String(url[..<start]) + String(url[host...])
    }
}
