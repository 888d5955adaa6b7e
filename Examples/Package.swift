// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

func example(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "PollardHTTP", package: "pollard")],
        swiftSettings: [.treatAllWarnings(as: .error)])
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "pollard", path: "..")],
    targets: [
        example("Posts"), example("CachedQuotes"), example("Places"), example("People"),
        example("Profiles"),
    ],
    swiftLanguageModes: [.v6]
)
