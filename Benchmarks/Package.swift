// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "pollard", path: "..")],
    targets: [
        .executableTarget(name: "floor", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "transport", dependencies: [.product(name: "PollardHTTP", package: "pollard")]),
        .executableTarget(name: "url-session"),
    ],
    swiftLanguageModes: [.v6]
)
