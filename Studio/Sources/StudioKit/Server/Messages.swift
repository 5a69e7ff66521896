import Foundation
import Hummingbird
import NIOCore

extension Request {
    /// The body as JSON.
    func json<Body: Decodable>(_ type: Body.Type, upTo bytes: Int) async throws -> Body {
        let body = try await self.body.collect(upTo: bytes)
        do { return try JSONDecoder().decode(type, from: Data(buffer: body)) } catch {
            throw HTTPError(.badRequest, message: "The body is not what the page sends.")
        }
    }

    func parameter(_ name: String) -> String? { uri.queryParameters[name[...]].map(String.init) }

    func text(_ name: String) throws -> String {
        guard let text = parameter(name) else {
            throw HTTPError(.badRequest, message: "The request has no '\(name)'.")
        }
        return text
    }

    func number(_ name: String) -> Int? { parameter(name).flatMap { Int($0) } }
}

extension Response {
    static func json(encoding value: some Encodable) throws -> Response {
        .json(Array(try JSONEncoder().encode(value)))
    }

    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension FileList {
    /// The file that the address of a request names.
    func file(_ context: StudioContext) throws -> StudioFile {
        guard let number = context.parameters.get("file", as: Int.self), let file = self[number]
        else { throw HTTPError(.notFound, message: "The command line names no such file.") }
        return file
    }
}
