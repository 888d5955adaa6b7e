// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct URLOriginTests {
    @Test func `Ports, paths and case do not make several hosts of one`() {
        let urls = [
            "http://127.0.0.1:1/a", "http://127.0.0.1:2/b", "https://127.0.0.1",
            "http://127.0.0.1?c",
        ]
        #expect(Set(urls.map { URLOrigin(of: $0).host }) == ["127.0.0.1"])
        #expect(URLOrigin(of: "HTTPS://A.Test/B").host == "a.test")
        #expect(URLOrigin(of: "http://[2001:DB8::1]:80/x").host == "[2001:db8::1]")
    }

    @Test(arguments: [
        "https://a.example", "https://A.EXAMPLE./", "HTTPS://a.example:443/x?y#z",
        "https://a.example.:443?q", "https://a.example:#f",
    ])
    func `A dot at the end and a port that is the default make no other host`(url: String) {
        #expect(URLOrigin(of: url) == URLOrigin(of: "https://a.example/"))
    }

    @Test func `Scheme, host and port make an origin`() {
        let origins = [
            "http://a/", "https://a/", "http://b/", "http://a:8080/", "http://a:443/",
            "http://[::1]/", "http://[::1]:81/", "http://a:x/",
        ]
        #expect(Set(origins.map { URLOrigin(of: $0) }).count == origins.count)
        #expect(URLOrigin(of: "http://[::1]:81/").port == 81)
        #expect(URLOrigin(of: "http://[::1]/").port == 80)
        #expect(URLOrigin(of: "https://[::1]?x:1").port == 443)
    }

    @Test(arguments: [
        "http://localhost", "http://LocalHost.:80/", "http://api.localhost/", "http://127.0.0.1/",
        "https://127.255.3.4:8443/", "http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80/",
        "http://[0::0001]",
    ])
    func `This machine is on loopback`(url: String) {
        #expect(URLOrigin(of: url).isLoopback)
    }

    @Test(arguments: [
        "http://localhost.example", "http://notlocalhost", "http://127.0.0.1.example/",
        "http://128.0.0.1/", "http://192.0.2.127/", "http://[1::]/", "http://[::2]/",
        "http://[fe80::1]/", "http://[::1:1]/", "http://127.example/", "http://[]/", "",
    ])
    func `Others are not`(url: String) {
        #expect(!URLOrigin(of: url).isLoopback)
    }
}
