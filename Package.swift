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

func tests(of name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "PollardTestSupport"] + dependencies,
        exclude: name == "PollardConfig" ? ["Fixtures"] : [],
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
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        system("CCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        system("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        system("CBrotli", pkgConfig: "libbrotlidec", package: "libbrotli-dev"),
        system("CYAML", pkgConfig: "yaml-0.1", package: "libyaml-dev"),
        system("CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),

        module("PollardHTTP", uses: ["CCurl", "CZlib", "CBrotli", "CZstd"]),
        module("PollardCore"),
        module("PollardConfig", uses: ["PollardCore", "CYAML"]),
        module("PollardStore", uses: ["PollardCore", "CSQLite", "CZstd", "CCrypto"]),
        module("PollardSystemd", uses: ["PollardCore", "CSystemd"]),
        module(
            "PollardDaemon",
            uses: ["PollardHTTP", "PollardCore", "PollardConfig", "PollardStore", "PollardSystemd"]),
        .executableTarget(
            name: "pollard", dependencies: ["PollardDaemon"], swiftSettings: settings),
        .executableTarget(
            name: "store-benchmark", dependencies: ["PollardCore", "PollardStore"],
            path: "Benchmarks/Store", swiftSettings: settings),

        .executableTarget(
            name: "json-benchmark", dependencies: ["PollardCore"], path: "Benchmarks/JSON",
            swiftSettings: settings),

        .target(
            name: "PollardTestSupport", path: "Tests/PollardTestSupport", swiftSettings: settings),
        tests(of: "PollardHTTP"),
        tests(of: "PollardCore"),
        tests(of: "PollardConfig", uses: ["PollardCore"]),
        tests(of: "PollardStore", uses: ["PollardCore"]),
        tests(of: "PollardSystemd", uses: ["PollardCore", "systemd-probe"]),
        .executableTarget(
            name: "systemd-probe", dependencies: ["PollardCore", "PollardSystemd"],
            path: "Tests/systemd-probe", swiftSettings: settings),
        tests(of: "PollardDaemon", uses: ["PollardCore", "PollardConfig", "PollardSystemd"]),
        .testTarget(
            name: "EndToEndTests", dependencies: ["PollardCore", "PollardTestSupport", "pollard"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
