// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardDaemon

@Suite struct InvocationTests {
    private func options(
        _ set: (inout Invocation.Options) -> Void = { _ in }
    ) -> Invocation.Options {
        var options = Invocation.Options()
        set(&options)
        return options
    }

    @Test func `Options are read in both spellings, before and after names`() throws {
        let expected = options {
            $0.config = "a.yaml"
            $0.state = "dir"
            $0.isJSON = true
        }
        let spellings = [
            ["status", "--config", "a.yaml", "--state", "dir", "--json", "x", "y"],
            ["status", "x", "--config=a.yaml", "y", "--json", "--state=dir"],
        ]
        for spelling in spellings {
            #expect(try Invocation(spelling) == .status(names: ["x", "y"], expected))
        }
    }

    @Test func `All options of run are read`() throws {
        let expected = options {
            $0.log = "json"
            $0.isVerbose = true
        }
        #expect(try Invocation(["run", "--log", "json", "--verbose"]) == .run(expected))
    }

    @Test func `Snapshots stand after the name`() throws {
        let expected = options { $0.format = .unified }
        #expect(try Invocation(["show", "a"]) == .show(name: "a", snapshot: nil, options()))
        #expect(try Invocation(["show", "a", "7"]) == .show(name: "a", snapshot: "7", options()))
        #expect(
            try Invocation(["diff", "a", "7", "--format=unified", "beef"])
                == .diff(name: "a", from: "7", to: "beef", expected))
        #expect(
            try Invocation(["history", "--limit", "5", "a"])
                == .history(name: "a", options { $0.limit = 5 }))
    }

    @Test func `After two dashes every word is a name`() throws {
        #expect(
            try Invocation(["poll", "--", "--json"]) == .poll(names: ["--json"], options()))
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"],
    ])
    func `Help is asked for in three ways`(words: [String]) throws {
        #expect(try Invocation(words) == .help(command: nil))
    }

    @Test func `Help of a command wins over what else is said`() throws {
        #expect(try Invocation(["run", "--help"]) == .help(command: "run"))
        #expect(try Invocation(["help", "run"]) == .help(command: "run"))
        #expect(try Invocation(["poll", "-h"]) == .help(command: "poll"))
    }

    @Test(
        arguments: [
            ([], "no command given", "see 'pollard --help'"),
            (["forget"], "unknown command 'forget'", "see 'pollard --help'"),
            (["statsu"], "unknown command 'statsu'", "did you mean 'pollard status'?"),
            (["--verbose"], "unknown option '--verbose'", "see 'pollard --help'"),
            (
                ["run", "--confg", "x"], "unknown option '--confg' for 'pollard run'",
                "did you mean '--config'?"
            ),
            (
                ["check", "--limit", "1"], "unknown option '--limit' for 'pollard check'",
                "see 'pollard check --help'"
            ),
            (
                ["diff", "a", "--json", "--format", "patch"],
                "'--json' and '--format' exclude each other",
                "an object of '--json' holds both the lines and the patch"
            ),
            (["run", "-v"], "unknown option '-v' for 'pollard run'", "see 'pollard run --help'"),
            (["run", "--config"], "option '--config' needs a value", "write '--config FILE'"),
            (["run", "--config="], "option '--config' needs a value", "write '--config FILE'"),
            (["run", "--verbose=yes"], "option '--verbose' takes no value", "write '--verbose'"),
            (
                ["run", "--log", "xml"], "unknown log format 'xml'",
                "write '--log journal', '--log text' or '--log json'"
            ),
            (
                ["check", "x"], "'pollard check' takes no argument, but got 'x'",
                "see 'pollard check --help'"
            ),
            (
                ["history", "a", "b"], "'pollard history' takes one argument, but got 'b' too",
                "see 'pollard history --help'"
            ),
            (
                ["diff", "a", "1", "2", "3"],
                "'pollard diff' takes at most 3 arguments, but got '3' too",
                "see 'pollard diff --help'"
            ),
            (
                ["history", "a", "--limit", "0"], "'0' is no number of changes",
                "write a whole number from 1 on, as in '--limit 100'"
            ),
            (
                ["diff", "a", "--format", "json"], "unknown format 'json' of a difference",
                "write '--format text', '--format patch' or '--format unified'"
            ),
            (
                ["show"], "'pollard show' needs the name of an endpoint",
                "'pollard status' lists them"
            ),
            (
                ["poll"], "'pollard poll' needs the name of an endpoint",
                "'pollard status' lists them"
            ),
        ] as [([String], String, String)])
    func `A command line that makes no sense is told with a hint`(
        words: [String], message: String, hint: String
    ) {
        #expect(throws: UsageError(message: message, hint: hint)) { try Invocation(words) }
    }

    @Test func `The help of the program lists every command`() {
        let help = HelpText.help(for: nil)
        for command in CommandSpecification.all {
            #expect(help.contains("\n  \(command.name) "))
            let words = HelpText.help(for: command.name).split(whereSeparator: \.isWhitespace)
            #expect(words.joined(separator: " ").hasPrefix("Usage: \(command.synopsis) "))
        }
    }

    @Test func `Help fits in 90 columns`() {
        for name in [nil] + CommandSpecification.all.map({ Optional($0.name) }) {
            for line in HelpText.help(for: name).split(separator: "\n") {
                #expect(line.count <= 90, "\(line)")
            }
        }
    }
}

@Suite struct DaemonPathsTests {
    @Test func `The store is where --state says, then store path, then the state directory`() throws
    {
        var options = Invocation.Options()
        let systemd = ["STATE_DIRECTORY": "/var/lib/private/pollard:/other"]
        var configuration = Configuration()
        func store(_ environment: [String: String]) -> String {
            DaemonPaths(options, environment: environment).store(configuration)
        }
        #expect(store([:]) == "/var/lib/pollard/pollard.db")
        #expect(store(systemd) == "/var/lib/private/pollard/pollard.db")
        configuration.storePath = "/srv/watch.db"
        #expect(store(systemd) == "/srv/watch.db")
        options.state = "/tmp/x/"
        #expect(store(systemd) == "/tmp/x/pollard.db")
    }

    @Test func `Without --config the configuration is the unit's`() {
        let paths = DaemonPaths(Invocation.Options(), environment: [:])
        #expect(paths.configuration == "/etc/pollard/pollard.yaml")
    }
}
