// SPDX-License-Identifier: Apache-2.0
//
// Searches places: an API as an enumeration, whose cases are its requests and make the query.

import PollardHTTP

struct Place: Decodable, Sendable {
    let name: String
    let distance: Int
}

struct SearchResults: Decodable, Sendable {
    let places: [Place]
}

struct Coordinate: Sendable {
    var latitude: Double
    var longitude: Double
}

enum PlacesAPI: Endpoint {
    case search(text: String, near: Coordinate, within: Int = 1000)
    case place(id: String)

    var path: URLPath {
        switch self {
        case .search: "/places"
        case .place(let id): "/places/\(id)"
        }
    }

    var queryItems: [QueryItem] {
        switch self {
        case .search(let text, let center, let meters):
            [
                QueryItem("q", text),
                QueryItem("near", "\(center.latitude),\(center.longitude)"),
                QueryItem("within", meters),
            ]
        case .place: []
        }
    }
}

struct PlacesService {
    let client: any APIClient

    func search(_ text: String, near: Coordinate) async throws(NetworkError) -> [Place] {
        try await client.get(
            PlacesAPI.search(text: text, near: near), as: SearchResults.self
        ).places
    }

    /// The place, or nil if there is none of this id.
    func place(_ id: String) async throws(NetworkError) -> Place? {
        do throws(NetworkError) {
            return try await client.get(PlacesAPI.place(id: id), as: Place.self)
        } catch {
            guard error.status == 404 else { throw error }
            return nil
        }
    }
}

let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let client = NetworkManager(transport: try CurlTransport(), baseURL: service)
let places = PlacesService(client: client)

// Spaces, signs and letters beyond ASCII are encoded where a URL needs it.
let here = Coordinate(latitude: 52.52, longitude: 13.405)
for place in try await places.search("café & bar", near: here) {
    print("\(place.name), \(place.distance) m")
}
for id in ["cafés/24", "nowhere"] {
    print("\(id): \(try await places.place(id)?.name ?? "there is no such place")")
}
