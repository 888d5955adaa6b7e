// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The endpoints that a word on the command line may name: in full, or by a start that no other
/// has.
struct KnownNames {
    /// The names that an error lists before it says how many more there are.
    static let maximumListed = 10

    let names: [EndpointName]
    /// What is said of a word that names none; `%` stands for the word.
    let missing: String

    /// The endpoint that `word` names.
    ///
    /// - Throws: `CommandFailure` with the nearest name, or with all that begin with `word`.
    func name(for word: String) throws(CommandFailure) -> EndpointName {
        let texts = names.map(\.rawValue)
        if let place = texts.firstIndex(of: word) { return names[place] }
        let longer = word.isEmpty ? [] : names.filter { $0.rawValue.hasPrefix(word) }
        if longer.count == 1 { return longer[0] }
        guard longer.isEmpty else {
            let listed = longer.prefix(Self.maximumListed).map(\.rawValue)
            let rest = longer.count - listed.count
            let more = rest > 0 ? ", and \(rest.grouped) more" : ""
            throw CommandFailure(
                .noInput, "'\(word)' begins the names of \(longer.count.counted("endpoint"))",
                hint: "write more of one of them: \(listed.joined(separator: ", "))\(more)")
        }
        throw CommandFailure(
            .noInput, missing.replacing("%", with: SafeText.line(word)),
            hint: Suggestion.nearest(to: word, among: texts).map { "did you mean '\($0)'?" }
                ?? "'pollard status' lists the endpoints")
    }
}
