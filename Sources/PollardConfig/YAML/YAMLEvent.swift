// SPDX-License-Identifier: Apache-2.0

/// One step of a YAML document (YAML 1.2.2, 3.1), copied out of the parser.
struct YAMLEvent {
    /// What begins, ends or stands here.
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case alias(String)
        case scalar(YAMLScalar, properties: Properties)
        case sequenceStart(Properties)
        case sequenceEnd
        case mappingStart(Properties)
        case mappingEnd
    }

    /// What may be written before a node.
    struct Properties {
        var anchor: String?
        var hasTag = false
    }

    var kind: Kind
    var mark: Mark
}
