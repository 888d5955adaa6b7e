// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardConfig

@Suite struct ValidFixtureTests {
    private func load(_ name: String) throws -> Configuration {
        try Fixtures.loader.load(path: Fixtures.path(name, in: "valid"))
    }

    private func endpoint(_ name: String, url: String = "http://a.example") throws
        -> EndpointConfiguration
    {
        EndpointConfiguration(
            name: try #require(EndpointName(rawValue: name)), request: .init(url: url))
    }

    private func plain(_ name: String, _ value: String) -> RequestConfiguration.Parameter {
        .init(name: name, value: .plain(value))
    }

    @Test func `A name and a URL are enough`() throws {
        var expected = Configuration()
        expected.endpoints = [try endpoint("a")]
        #expect(try load("defaults-alone") == expected)
    }

    @Test func `Every key is read`() throws {
        var request = RequestConfiguration(url: "HTTPS://[2001:db8::1]:8443/a%20b?c=d")
        request.query = [
            plain("page", "1"), plain("tag", "a"), plain("tag", "1.50"), plain("tag", "true"),
            plain("empty", ""),
        ]
        request.method = "POST"
        request.headers = [plain("X-Number", "007"), plain("accept", "text/plain, */*")]
        request.body = .form([
            plain("user", "me"), plain("tag", "a"), plain("tag", "b"),
            .init(name: "token", value: .secret(Secret("hunter2-environment"))),
        ])
        request.authentication = .basic(username: "me", password: Secret("hunter2-credential"))
        request.timeout = .milliseconds(1500)
        request.connectTimeout = .milliseconds(500)
        request.maximumRedirects = 0
        request.maximumBodyBytes = 1_572_864
        var expected = try endpoint("every.key_1")
        expected.request = request
        expected.interval = .seconds(5400)
        expected.jitter = 0.125
        expected.retry.attempts = 5
        expected.retry.initial = .seconds(1)
        expected.retry.maximum = .seconds(60)
        expected.retry.retriesUnsafeMethods = true
        expected.cache = .none
        expected.format = .text
        expected.expectations.certificate = .seconds(14 * 86_400)
        expected.alert.after = 3
        expected.alert.within = 5
        expected.alert.recover = 2
        expected.alert.remind = .seconds(9000)
        expected.priority = .warning
        expected.labels = [.init(name: "Team", value: "a: b"), .init(name: "zone", value: "1")]
        expected.isEnabled = false
        let configuration = try load("every-key")
        #expect(configuration.endpoints == [expected])
        #expect(configuration.limits.concurrency == 32)
        #expect(configuration.limits.perHost == 2)
        #expect(configuration.limits.perHostRate == .init(count: 100, period: .seconds(60)))
        #expect(configuration.storePath == "/var/lib/pollard/pollard.db")
    }

    @Test func `An endpoint builds on its api, and the api on the defaults`() throws {
        var request = RequestConfiguration(url: "https://shop.example/v1/products?sort=price")
        request.headers = [
            plain("User-Agent", "pollard-test"), plain("accept", "application/json"),
            .init(name: "X-Api", value: .secret(Secret("hunter2-file"))),
        ]
        request.query = [plain("lang", "de"), plain("key", "1")]
        request.method = "POST"
        request.body = .form([plain("a", "1")])
        request.authentication = .bearer(Secret("hunter2-credential"))
        request.timeout = .seconds(5)
        request.connectTimeout = .seconds(4)
        var expected = try endpoint("inherits")
        expected.request = request
        expected.interval = .seconds(20)
        expected.retry.attempts = 9
        expected.retry.retriesUnsafeMethods = true
        expected.labels = [.init(name: "TEAM", value: "shop"), .init(name: "zone", value: "a")]
        #expect(try load("merging").endpoints[0] == expected)
    }

    @Test func `What an endpoint says wins over its api`() throws {
        var request = RequestConfiguration(url: "https://shop.example/v1/")
        request.headers = [
            plain("User-Agent", "pollard-test"),
            .init(name: "X-Api", value: .secret(Secret("hunter2-file"))),
            plain("ACCEPT", "text/html"),
        ]
        request.query = [plain("lang", "de"), plain("key", "2")]
        request.method = "POST"
        request.body = .text("text")
        request.authentication = .header(name: "X-Key", value: Secret("plain"))
        request.timeout = .seconds(2)
        // The api's limit of 4 s is cut to that of the whole attempt.
        request.connectTimeout = .seconds(2)
        var expected = try endpoint("overrides")
        expected.request = request
        expected.interval = .seconds(30)
        expected.retry.attempts = 2
        expected.labels = [.init(name: "TEAM", value: "shop"), .init(name: "zone", value: "b")]
        #expect(try load("merging").endpoints[1] == expected)
    }

    @Test func `An endpoint with a URL of its own gets no api's credentials`() throws {
        let endpoint = try load("merging").endpoints[2]
        #expect(endpoint.request.authentication == nil)
        #expect(
            endpoint.request.headers == [
                plain("Accept", "text/plain"), plain("User-Agent", "pollard-test"),
            ])
        #expect(endpoint.request.query == [plain("lang", "en")])
    }

    @Test func `A JSON body keeps its numbers and quotes its texts`() throws {
        let body = try #require(try load("json-body").endpoints.first?.request.body)
        let expected =
            #"{"numbers":[1,-0,5,123,31,15,12345678901234567890,0.10,0.5,5.0,1e400,1.5E-3,"#
            + #"1208925819614629174706175],"#
            + #""words":["yes","1",null,null,true,false,"12:30","2020-01-01","#
            + #""a\"\\\n\t\u0001é😀"],"1":{},"empty":[],"text":"two\nlines\n"}"#
        #expect(body == .json(expected))
    }

    @Test func `Anchors share values`() throws {
        let endpoints = try load("anchors").endpoints
        #expect(endpoints.map(\.request.url) == ["http://a.example", "http://a.example"])
        #expect(endpoints.map(\.retry.attempts) == [10, 10])
        #expect(
            endpoints.map(\.labels)
                == Array(repeating: [.init(name: "team", value: "shop")], count: 2))
    }

    @Test func `Rules of comparison are read`() throws {
        let rules = try load("rules").endpoints.map(\.rules)
        let ignored = ["/time", "/nodes/*/uptime", "/**/at"]
        #expect(try rules[0].ignore == ignored.map { try PathPattern($0) })
        func top(_ identity: IdentityRule.Identity) -> [IdentityRule] {
            [IdentityRule(list: nil, identity: identity)]
        }
        #expect(rules[0].identity == top(.pointer(try PathPattern("/id"))))
        #expect(rules[1].identity == top(.pointer(try PathPattern("/owner/id"))))
        #expect(rules[2].identity == top(.wholeItem))
        #expect(rules[3].identity == top(.pointer(try PathPattern("/a~1b~0c"))))
        #expect(
            rules[4].identity == [
                IdentityRule(list: nil, identity: .pointer(try PathPattern("/id"))),
                IdentityRule(
                    list: try PathPattern("/groups/*/members"),
                    identity: .pointer(try PathPattern("/user/id"))),
                IdentityRule(list: try PathPattern("/tags"), identity: .wholeItem),
            ])
    }
}
