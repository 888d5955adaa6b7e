// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// One set of rules for every target: Swift 6, no warning survives, every C call is marked.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(
    _ name: String, uses dependencies: [Target.Dependency], at path: String? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(
    _ name: String, of dependencies: Target.Dependency..., exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["PollardTestSupport"], exclude: exclude,
        swiftSettings: settings)
}

func system(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "pollard",
    products: [
        .executable(name: "pollard", targets: ["pollard"]),
        .library(name: "PollardHTTP", targets: ["PollardHTTP"]),
    ],
    targets: [
        system("CBrotli", pkgConfig: "libbrotlidec", package: "libbrotli-dev"),
        system("CCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        system("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        system("CYAML", pkgConfig: "yaml-0.1", package: "libyaml-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        system("CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),

        module("PollardCompression", uses: ["CBrotli", "CZlib", "CZstd"]),
        module("PollardDigest", uses: ["CCrypto"]),
        module("PollardHTTP", uses: ["PollardCompression", "PollardDigest", "CCurl"]),
        module("PollardCore"),
        module("PollardConfig", uses: ["PollardCore", "CYAML"]),
        module(
            "PollardStore",
            uses: ["PollardCore", "PollardCompression", "PollardDigest", "CSQLite"]),
        module("PollardSystemd", uses: ["PollardCore", "CSystemd"]),
        module(
            "PollardDaemon",
            uses: ["PollardHTTP", "PollardCore", "PollardConfig", "PollardStore", "PollardSystemd"]),
        program("pollard", uses: ["PollardDaemon"]),

        .target(
            name: "PollardTestSupport", path: "Tests/PollardTestSupport", swiftSettings: settings),
        tests("PollardHTTPTests", of: "PollardHTTP", "http-probe", exclude: ["Fixtures"]),
        tests("PollardCoreTests", of: "PollardCore"),
        tests("PollardConfigTests", of: "PollardConfig", "PollardCore", exclude: ["Fixtures"]),
        tests("PollardStoreTests", of: "PollardStore", "PollardCompression", "PollardCore"),
        tests("PollardSystemdTests", of: "PollardSystemd", "PollardCore", "systemd-probe"),
        tests(
            "PollardDaemonTests",
            of: "PollardDaemon", "PollardHTTP", "PollardCore", "PollardConfig", "PollardStore",
            "PollardSystemd", "pollard"),
        tests("EndToEndTests", of: "PollardCore", "pollard"),
        program(
            "systemd-probe", uses: ["PollardCore", "PollardSystemd"], at: "Tests/systemd-probe"),
        program("http-probe", uses: ["PollardHTTP"], at: "Tests/http-probe"),

        program("json-benchmark", uses: ["PollardCore"], at: "Benchmarks/JSON"),
        program("store-benchmark", uses: ["PollardCore", "PollardStore"], at: "Benchmarks/Store"),
    ],
    swiftLanguageModes: [.v6]
)
