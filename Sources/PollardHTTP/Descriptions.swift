// SPDX-License-Identifier: Apache-2.0

// What is printed or dumped ends up in logs, so it has no secrets: no query, userinfo or field
// values, and no content.

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and URL, without the parts that may hold secrets.
    public var description: String { "\(method) \(url.withoutSecrets)".escaped }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "fields": fields.names])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, URL without the parts that may hold secrets, and size of the content in bytes.
    public var description: String {
        "\(status) \(url.withoutSecrets.escaped), \(body.count) bytes"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "fields": fields.names])
    }
}

extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, without their values.
    public var description: String { "[\(names)]" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }

    fileprivate var names: String { lines.map(\.name.escaped).joined(separator: ", ") }
}

extension HTTPFields.Field: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name, without the value.
    public var description: String { name.escaped }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}

extension QueryItem: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the value.
    public var description: String { name.escaped }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}

extension AnyEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and place, as `GET https://example.org/people`, without query and userinfo.
    public var description: String {
        let place =
            baseURL
            ?? host.map { host in
                "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")"
            }
        return "\(method) \((place ?? "").withoutSecrets.escaped)\(path)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, the names of parameters and fields, and what kind of content.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": description, "query": queryItems.map(\.name),
                "headers": headers, "body": body as Any,
            ])
    }
}

extension APIRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is requested, as `AnyEndpoint` says it, and the type of the answer.
    public var description: String { "\(endpoint) for '\(Response.self)'" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension APIResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What `HTTPResponse` says of itself, and the type of the value.
    public var description: String { "\(http) as '\(Value.self)'" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension HTTPStream: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status and URL, without the parts that may hold secrets.
    public var description: String {
        "stream of \(head.status) \(head.url.withoutSecrets.escaped)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["stream": description]) }
}

extension NetworkManager: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The base URL, without the parts that may hold secrets.
    public var description: String {
        "client of " + (baseURL.map { "'\($0.withoutSecrets.escaped)'" } ?? "any URL")
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has, and the names of the fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["client": description, "headers": headers])
    }
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
