// SPDX-License-Identifier: Apache-2.0

import CYAML

/// Reads YAML events; the only owner of libyaml's parser.
@safe
struct YAMLEventReader: ~Copyable {
    /// On the heap, since libyaml keeps addresses inside it.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// A copy of the text, since libyaml reads from it until the parser is deleted.
    private let text: UnsafeMutableBufferPointer<UInt8>
    private let bytes: [UInt8]

    /// Makes a reader of `bytes`, which must be UTF-8 without a byte-order mark.
    ///
    /// - Throws: `YAMLError` if there is no memory for the parser.
    init(_ bytes: [UInt8]) throws(YAMLError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.deallocate()
            throw YAMLError(at: Mark(line: 1, column: 1), "out of memory")
        }
        // One byte at least: libyaml takes no null pointer, not even for an empty text.
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
        _ = unsafe text.initialize(from: bytes)
        unsafe yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
        // Otherwise libyaml guesses, and takes UTF-16 too.
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe self.parser = parser
        unsafe self.text = text
        self.bytes = bytes
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe text.deallocate()
    }

    /// The next event.
    ///
    /// - Throws: `YAMLError` if the text is not YAML from here on.
    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else {
            throw unsafe YAMLProblem(parser.pointee).error(in: bytes)
        }
        defer { unsafe yaml_event_delete(&event) }
        return unsafe YAMLEvent(kind: Self.kind(of: event), mark: Mark(event.start_mark))
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        switch unsafe event.type {
        case YAML_ALIAS_EVENT:
            return unsafe .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
                as: UTF8.self)
            let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
            return unsafe .scalar(
                YAMLScalar(text, isPlain: isPlain),
                properties: properties(scalar.anchor, scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            return unsafe .sequenceStart(properties(start.anchor, start.tag))
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            return unsafe .mappingStart(properties(start.anchor, start.tag))
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_STREAM_START_EVENT: return .streamStart
        default: return .streamEnd
        }
    }

    private static func properties(
        _ anchor: UnsafePointer<yaml_char_t>?, _ tag: UnsafePointer<yaml_char_t>?
    ) -> YAMLEvent.Properties {
        unsafe YAMLEvent.Properties(anchor: string(anchor), hasTag: tag != nil)
    }

    private static func string(_ characters: UnsafePointer<yaml_char_t>?) -> String? {
        guard let characters = unsafe characters else { return nil }
        return unsafe String(cString: characters)
    }
}

extension Mark {
    /// libyaml counts from 0.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1)
    }
}

extension YAMLProblem {
    /// Copies what libyaml says about its failure.
    fileprivate init(_ parser: yaml_parser_t) {
        func string(_ text: UnsafePointer<CChar>?) -> String {
            guard let text = unsafe text else { return "" }
            return unsafe String(cString: text)
        }
        let isReading = unsafe parser.error == YAML_READER_ERROR
        unsafe self.init(
            problem: string(parser.problem), context: string(parser.context),
            mark: Mark(parser.problem_mark), contextMark: Mark(parser.context_mark),
            byteOffset: isReading ? Int(parser.problem_offset) : nil)
    }
}
