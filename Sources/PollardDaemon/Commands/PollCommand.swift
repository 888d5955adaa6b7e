// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardHTTP
internal import PollardStore
internal import PollardSystemd

/// `pollard poll NAME...`: fetches endpoints now and shows what came; changes nothing.
struct PollCommand {
    let names: [String]
    let paths: DaemonPaths
    let environment: [String: String]
    let isJSON: Bool

    /// Polls one endpoint after the other, and writes the report of each as soon as it is there.
    ///
    /// - Returns: `pollFailed` if one of the polls failed, else `success`.
    /// - Throws: `CommandFailure` if the configuration can't be used.
    func run(_ output: CommandOutput) async throws(CommandFailure) -> ExitStatus {
        let configuration = try Configuration.loaded(
            from: paths.configuration, secrets: ShellSecrets(environment: environment))
        let endpoints = try configuration.endpoints(named: names).map(WatchedEndpoint.init)
        let transport = try CurlTransport(for: configuration)
        defer { transport.close() }
        let fetcher = HTTPFetcher(transport: transport)
        let stored = StoredSnapshots(path: paths.store(configuration))
        var status = ExitStatus.success
        for endpoint in endpoints {
            let report = await self.report(on: endpoint, fetcher, stored)
            if report.isFailure { status = .pollFailed }
            try output.write(line: isJSON ? report.json : report.text)
        }
        return status
    }

    private func report(
        on endpoint: WatchedEndpoint, _ fetcher: HTTPFetcher, _ stored: StoredSnapshots
    ) async -> PollReport {
        do throws(PollFailure) {
            var answer = try await fetcher.fetch(
                endpoint.configuration, validators: Validators())
            guard (200..<300).contains(answer.status) else {
                throw PollFailure(unexpected: answer)
            }
            let content = try endpoint.content(redacting: &answer)
            let comparison = stored.comparison(of: content, with: endpoint)
            return PollReport(
                endpoint: endpoint, outcome: .answered(answer, content, comparison))
        } catch {
            return PollReport(endpoint: endpoint, outcome: .failed(error))
        }
    }
}
