// SPDX-License-Identifier: Apache-2.0
//
// Lists, creates, updates and deletes posts, and prints what each change does to the list.

import PollardHTTP

struct Post: Codable, Identifiable, Hashable, Sendable {
    let id: Int
    var title: String
}

struct NewPost: Encodable {
    var title: String
}

enum PostAPI: Endpoint {
    case posts
    case post(Post.ID)

    var path: URLPath {
        switch self {
        case .posts: "/posts"
        case .post(let id): "/posts/\(id)"
        }
    }
}

/// The posts as last seen; each change is sent first, and then the list loaded anew.
actor PostManager {
    private let client: any APIClient
    private(set) var posts: [Post] = []

    init(client: any APIClient) { self.client = client }

    func refresh() async throws(NetworkError) -> ListDifference<Post> {
        let loaded: [Post] = try await client.get(PostAPI.posts)
        defer { posts = loaded }
        return ListDifference(from: posts, to: loaded)
    }

    func create(title: String) async throws(NetworkError) -> ListDifference<Post> {
        try await client.post(PostAPI.posts, NewPost(title: title))
        return try await refresh()
    }

    func update(_ post: Post) async throws(NetworkError) -> ListDifference<Post> {
        try await client.put(PostAPI.post(post.id), post)
        return try await refresh()
    }

    func delete(_ id: Post.ID) async throws(NetworkError) -> ListDifference<Post> {
        try await client.delete(PostAPI.post(id))
        return try await refresh()
    }
}

func show(_ what: String, _ difference: ListDifference<Post>) {
    print("\(what):")
    for step in difference.steps {
        switch step {
        case .delete(let post, let place): print("  - \(place) \(post.title)")
        case .insert(let post, let place): print("  + \(place) \(post.title)")
        case .move(let post, let from, let to): print("  > \(from) to \(to) \(post.title)")
        case .update(_, let post, let place): print("  ~ \(place) \(post.title)")
        }
    }
}

let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let client = NetworkManager(transport: try CurlTransport(), baseURL: service)
let manager = PostManager(client: client)

show("loaded", try await manager.refresh())
show("created", try await manager.create(title: "Zebras"))
show("renamed", try await manager.update(Post(id: 1, title: "Monkeys")))
show("deleted", try await manager.delete(2))
