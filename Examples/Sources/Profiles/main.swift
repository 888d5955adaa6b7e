// SPDX-License-Identifier: Apache-2.0
//
// Loads profiles from a service that is busy at times: requests are sent again as a policy says,
// and each load gives a `Result` to show, whichever it is.

import PollardHTTP

struct Profile: Decodable, Sendable {
    let name: String
    let followers: Int
}

struct ProfileLoader {
    let client: NetworkManager

    init(transport: some HTTPTransport, service: String) {
        client = NetworkManager(
            transport: transport, baseURL: service,
            retry: RetryPolicy(attempts: 4, initial: .milliseconds(10)))
    }

    func profile(of user: String) async -> Result<Profile, NetworkError> {
        await client.result(for: .path("/profiles/\(user)"))
    }
}

func text(for result: Result<Profile, NetworkError>) -> String {
    switch result {
    case .success(let profile): "\(profile.name) has \(profile.followers) followers"
    case .failure(let error) where error.status == 404: "there is no such profile"
    case .failure(let error): "\(error) (attempts: \(error.attempts))"
    }
}

let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let loader = ProfileLoader(transport: try CurlTransport(), service: service)

print(text(for: await loader.profile(of: "ada")))  // Busy for two requests.
print(text(for: await loader.profile(of: "nobody")))
print(text(for: await loader.profile(of: "broken")))  // Busy for ever.
print(text(for: await loader.profile(of: "garbled")))
