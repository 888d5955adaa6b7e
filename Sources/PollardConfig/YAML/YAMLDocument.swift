// SPDX-License-Identifier: Apache-2.0

/// Turns the bytes of a file into nodes: YAML 1.2, one document, no tags, bounded.
struct YAMLDocument: ~Copyable {
    private let limits: YAMLLimits
    private var reader: YAMLEventReader
    private var anchors: [String: (node: YAMLNode, size: Int)] = [:]
    /// Anchors whose node is not complete: an alias to one of them would contain itself.
    private var open: Set<String> = []
    /// Nodes so far, those that aliases stand for included.
    private var count = 0

    private init(_ bytes: [UInt8], limits: YAMLLimits) throws(YAMLError) {
        self.limits = limits
        reader = try YAMLEventReader(bytes)
    }

    /// The document in `bytes`; nil if there is none, as in a file of comments only.
    ///
    /// - Throws: `YAMLError` with the place of the first thing that is wrong.
    static func parse(
        _ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode? {
        guard bytes.count <= limits.bytes else {
            throw YAMLError(
                at: Mark(line: 1, column: 1), "the file has more than \(limits.bytes) bytes",
                hint: "split it into files in 'conf.d'")
        }
        var document = try YAMLDocument(YAMLText.validated(bytes), limits: limits)
        return try document.root()
    }

    private mutating func root() throws(YAMLError) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let event = try reader.next()
            switch event.kind {
            case .streamEnd: return root
            case .documentStart:
                guard root == nil else {
                    throw YAMLError(
                        at: event.mark, "a file holds one document only", hint: "remove the '---'")
                }
                root = try node(from: try reader.next(), depth: 1).node
            default: continue
            }
        }
    }

    /// The node that begins with `event`, and how many nodes it is when aliases are expanded.
    private mutating func node(
        from event: YAMLEvent, depth: Int
    ) throws(YAMLError) -> (node: YAMLNode, size: Int) {
        guard depth <= limits.depth else {
            throw YAMLError(at: event.mark, "values are nested more than \(limits.depth) deep")
        }
        try add(1, at: event.mark)
        let before = count
        let content: YAMLNode.Content
        let properties: YAMLEvent.Properties
        switch event.kind {
        case .alias(let name): return try target(of: name, at: event.mark)
        case .scalar(let scalar, let found):
            try check(found, at: event.mark)
            (content, properties) = (.scalar(scalar), found)
        case .sequenceStart(let found):
            try check(found, at: event.mark)
            (content, properties) = (.sequence(try items(depth: depth)), found)
        case .mappingStart(let found):
            try check(found, at: event.mark)
            (content, properties) = (.mapping(try entries(depth: depth)), found)
        default: throw YAMLError(at: event.mark, "a value is expected here")
        }
        let made = (node: YAMLNode(content: content, mark: event.mark), size: count - before + 1)
        if let anchor = properties.anchor {
            anchors[anchor] = made
            open.remove(anchor)
        }
        return made
    }

    private mutating func add(_ size: Int, at mark: Mark) throws(YAMLError) {
        count += size
        guard count <= limits.nodes else {
            throw YAMLError(
                at: mark, "the file has more than \(limits.nodes) values",
                hint: "aliases count as what they stand for")
        }
    }

    /// Opens the anchor; no message shows a tag or alias, which may be an unquoted password.
    private mutating func check(
        _ properties: YAMLEvent.Properties, at mark: Mark
    ) throws(YAMLError) {
        guard !properties.hasTag else {
            throw YAMLError(
                at: mark, "tags, which begin with '!', are not allowed", hint: "quote the value")
        }
        if let anchor = properties.anchor { open.insert(anchor) }
    }

    private mutating func target(
        of alias: String, at mark: Mark
    ) throws(YAMLError) -> (node: YAMLNode, size: Int) {
        guard !open.contains(alias) else {
            throw YAMLError(at: mark, "this alias would contain itself")
        }
        guard let found = anchors[alias] else {
            throw YAMLError(
                at: mark, "this alias has no anchor before it",
                hint: "quote a value that begins with '*'")
        }
        try add(found.size - 1, at: mark)
        return found
    }

    private mutating func items(depth: Int) throws(YAMLError) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            let event = try reader.next()
            if case .sequenceEnd = event.kind { return items }
            items.append(try node(from: event, depth: depth + 1).node)
        }
    }

    private mutating func entries(depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var seen: [String: Mark] = [:]
        while true {
            let event = try reader.next()
            if case .mappingEnd = event.kind { return entries }
            let key = try key(from: event)
            if let first = seen.updateValue(event.mark, forKey: key) {
                throw YAMLError(
                    at: event.mark, "duplicate key '\(key.shown)', first on line \(first.line)")
            }
            let value = try node(from: try reader.next(), depth: depth + 1).node
            entries.append(YAMLNode.Entry(key: key, keyMark: event.mark, value: value))
        }
    }

    private mutating func key(from event: YAMLEvent) throws(YAMLError) -> String {
        guard case .scalar(let scalar, let properties) = event.kind else {
            throw YAMLError(at: event.mark, "a key must be text, not a list, map or alias")
        }
        try add(1, at: event.mark)
        try check(properties, at: event.mark)
        if let anchor = properties.anchor {
            open.remove(anchor)
            let node = YAMLNode(content: .scalar(scalar), mark: event.mark)
            anchors[anchor] = (node, 1)
        }
        guard scalar.type == .text || !scalar.text.isEmpty else {
            throw YAMLError(at: event.mark, "a key is missing in front of the ':'")
        }
        guard scalar.text != "<<" else {
            throw YAMLError(
                at: event.mark, "merge keys '<<' are not part of YAML 1.2",
                hint: "put what is shared into 'defaults' or into an entry of 'apis'")
        }
        return scalar.text
    }
}
