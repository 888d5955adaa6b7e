// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// Reads what counts as a difference.
extension Field {
    /// The value of `ignore`: a list of JSON Pointers with `*` and `**`.
    func patterns() -> [PathPattern]? {
        items(atMost: Bounds.maximumPatterns)?.compactMap { $0.pattern() }
    }

    private func pattern() -> PathPattern? {
        guard let text = text() else { return nil }
        return pattern(text, subject: "'\(name)'", at: place)
    }

    private func pattern(_ text: String, subject: String, at place: Place) -> PathPattern? {
        do throws(PathPatternError) {
            return try PathPattern(text)
        } catch {
            log.error("\(subject): \(error.message)", in: file, at: place.mark, hint: nil)
            return nil
        }
    }

    /// The value of `identity`: for the list at the top, or a map from a list's place to it.
    func identityRules() -> [IdentityRule]? {
        guard case .mapping = node.content else {
            return identity().map { [IdentityRule(list: nil, identity: $0)] }
        }
        return entries(atMost: Bounds.maximumPatterns)?.compactMap { entry in
            let place = entry.value.member(entry.value.node, name: name)
            guard let identity = place.identity() else { return nil }
            // RFC 6901, 5: the empty pointer is the whole document.
            if entry.key.isEmpty { return IdentityRule(list: nil, identity: identity) }
            let list = pattern(entry.key, subject: "'\(name)'", at: entry.keyPlace)
            return list.map { IdentityRule(list: $0, identity: identity) }
        }
    }

    /// `id`, `/owner/id`, or `"*"` for the whole item.
    private func identity() -> IdentityRule.Identity? {
        guard case .scalar(let scalar) = node.content, scalar.type == .text else {
            typeError("a key, a pointer, \"*\", or a map from lists to them")
            return nil
        }
        guard let text = text() else { return nil }
        if text == "*" { return .wholeItem }
        guard let pointer = pattern(Self.pointer(text), subject: "'\(name)'", at: place) else {
            return nil
        }
        guard !pointer.steps.contains(where: { $0 == .any || $0 == .anyDepth }) else {
            error("'\(name)' must be one place in an item, without '*'")
            return nil
        }
        return .pointer(pointer)
    }

    /// A key as the pointer to it (RFC 6901, 3); a pointer as it is.
    private static func pointer(_ text: String) -> String {
        text.hasPrefix("/") ? text : "/" + JSONPointer.escape(text)
    }
}
