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

    /// Polls one endpoint after the other.
    ///
    /// - Parameter show: Takes the text of each as soon as it is there.
    /// - Returns: `pollFailed` if one of the polls failed, else `success`.
    /// - Throws: `CommandFailure` if the configuration can't be used, or from `show`.
    func run(
        show: (String) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) -> ExitStatus {
        let configuration: Configuration
        do throws(ConfigurationError) {
            let loader = ConfigurationLoader(secrets: ShellSecrets(environment: environment))
            configuration = try loader.load(path: paths.configuration)
        } catch {
            throw CommandFailure(error)
        }
        let endpoints = try configuration.endpoints(named: names).map(WatchedEndpoint.init)
        let transport = try HTTPFetcher.transport(for: configuration)
        defer { transport.close() }
        let fetcher = HTTPFetcher(transport: transport)
        let stored = StoredSnapshots(path: paths.store(configuration))
        var status = ExitStatus.success
        for endpoint in endpoints {
            let report = await self.report(on: endpoint, fetcher, stored)
            if report.isFailure { status = .pollFailed }
            try show(report.text)
        }
        return status
    }

    private func report(
        on endpoint: WatchedEndpoint, _ fetcher: HTTPFetcher, _ stored: StoredSnapshots
    ) async -> PollReport {
        do throws(PollFailure) {
            let answer = try await fetcher.fetch(
                endpoint.configuration, validators: Validators())
            guard (200..<300).contains(answer.status) else {
                throw PollFailure(unexpected: answer)
            }
            let content = try endpoint.content(of: answer)
            let comparison = stored.comparison(of: content, with: endpoint)
            return PollReport(endpoint, answer, content, comparison)
        } catch {
            return PollReport(endpoint, error)
        }
    }
}
