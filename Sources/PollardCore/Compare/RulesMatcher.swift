// SPDX-License-Identifier: Apache-2.0

/// The rules of a comparison, followed down a document.
struct RulesMatcher {
    /// Where the walk stands in the patterns of all rules.
    struct Place {
        var ignore: PathMatcher.State
        var identity: PathMatcher.State
    }

    let ignore: PathMatcher
    let identity: PathMatcher
    private let identities: [IdentityRule.Identity]

    init(_ rules: ComparisonRules) {
        ignore = PathMatcher(rules.ignore)
        identity = PathMatcher(rules.identity.map(\.list))
        identities = rules.identity.map(\.identity)
    }

    var start: Place { Place(ignore: ignore.start, identity: identity.start) }

    func step(_ place: Place, key: Int, of document: JSONDocument) -> Place {
        let node = document.tape[key]
        return Place(
            ignore: ignore.step(place.ignore, key: node, document.bytes.span),
            identity: identity.step(place.identity, key: node, document.bytes.span))
    }

    func step(_ place: Place, position: Int) -> Place {
        Place(
            ignore: ignore.step(place.ignore, position: position),
            identity: identity.step(place.identity, position: position))
    }

    /// Whether values at `place` are not compared.
    @inline(__always)
    func isIgnored(_ place: Place) -> Bool { ignore.isMatch(place.ignore) }

    /// The rule for the list at `place`.
    func identityRule(_ place: Place) -> IdentityRule.Identity? {
        place.identity.isIdle ? nil : identity.match(place.identity).map { identities[$0] }
    }
}
