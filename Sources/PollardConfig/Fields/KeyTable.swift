// SPDX-License-Identifier: Apache-2.0

/// The keys that one kind of map may have; `config/pollard.schema.json` has the same.
struct KeyTable: Sendable {
    /// The name of the map's definition in the schema.
    let name: String
    let keys: [String]
    /// Keys of other maps that end up here by mistake, and where they belong.
    let misplaced: [String: String]
    /// Whether an unknown key may be a piece of a secret, and so must not be shown.
    let isSecret: Bool
    private let known: Set<String>

    /// Makes a table; the order of `keys` is that of messages.
    init(
        _ name: String, _ keys: [String], misplaced: [String: String] = [:], isSecret: Bool = false
    ) {
        self.name = name
        self.keys = keys
        self.misplaced = misplaced
        self.isSecret = isSecret
        known = Set(keys)
    }

    /// Whether `key` belongs into this map.
    func contains(_ key: String) -> Bool { known.contains(key) }
}

extension KeyTable {
    /// What an endpoint, an api and `defaults` have in common.
    private static let shared = [
        "query", "method", "headers", "json", "form", "body", "interval", "jitter", "timeout",
        "connect_timeout", "retry", "redirects", "max_body", "cache", "format", "ignore",
        "identity", "expect", "alert", "priority", "labels", "enabled",
    ]
    private static let onlyInEndpoint = "it belongs to an endpoint"

    /// The main file.
    static let root = KeyTable(
        "root", ["defaults", "apis", "endpoints", "limits", "store"],
        misplaced: Dictionary(
            uniqueKeysWithValues: (shared + ["auth"]).map {
                ($0, "it belongs to an endpoint, an api or 'defaults'")
            }))

    /// A file of `conf.d`.
    static let fragment = KeyTable(
        "fragment", ["apis", "endpoints"],
        misplaced: Dictionary(
            uniqueKeysWithValues: ["defaults", "limits", "store"].map {
                ($0, "only the main file may have it")
            }))

    /// No `auth`: it would send one server's credentials to every other.
    static let defaults = KeyTable(
        "defaults", shared,
        misplaced: [
            "auth": "it would go to every server; put it into an api or an endpoint",
            "name": onlyInEndpoint, "url": onlyInEndpoint, "api": onlyInEndpoint,
            "path": onlyInEndpoint, "base_url": "it belongs to an api",
        ])

    /// An entry of `apis`.
    static let api = KeyTable(
        "api", ["base_url", "auth"] + shared,
        misplaced: [
            "name": "an api is named by its key", "url": "an api has a 'base_url'",
            "api": onlyInEndpoint, "path": onlyInEndpoint,
        ])

    /// An item of `endpoints`.
    static let endpoint = KeyTable(
        "endpoint", ["name", "url", "api", "path", "auth"] + shared,
        misplaced: ["base_url": "it belongs to an api; an endpoint has a 'url'"])

    /// The value of `retry`.
    static let retry = KeyTable("retry", ["attempts", "initial", "max", "unsafe"])
    /// The value of `expect`.
    static let expect = KeyTable("expect", ["certificate"])
    /// The value of `alert`.
    static let alert = KeyTable("alert", ["after", "within", "recover", "remind"])
    /// The value of `limits`.
    static let limits = KeyTable("limits", ["concurrency", "per_host", "per_host_rate"])
    /// The value of `store`.
    static let store = KeyTable("store", ["path"])
    /// The value of `auth`, of which one key is used.
    static let authentication = KeyTable("auth", ["bearer", "basic", "header"], isSecret: true)
    /// The value of `auth.basic`.
    static let basic = KeyTable("basic", ["username", "password"], isSecret: true)
    /// The value of `auth.header`.
    static let header = KeyTable("header", ["name", "value"], isSecret: true)
    /// A secret that is kept elsewhere; one key is used.
    static let secret = KeyTable(
        "secretReference", ["credential", "env", "file"], isSecret: true)

    /// Every table, for the comparison with the schema.
    static let all = [
        root, fragment, defaults, api, endpoint, retry, expect, alert, limits, store,
        authentication,
        basic, header, secret,
    ]
}
