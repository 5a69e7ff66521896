import Foundation
import Hummingbird
import NIOCore

/// The files of the page, all of them in memory.
struct PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    private let files: [(name: String, type: String, bytes: ByteBuffer)]

    init() throws {
        let folder = Bundle.module.bundleURL.appendingPathComponent("Page")
        files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .compactMap { name in
                guard let type = Self.types[(name as NSString).pathExtension] else { return nil }
                let data = try Data(contentsOf: folder.appendingPathComponent(name))
                return (name, type, ByteBuffer(bytes: data))
            }
    }

    func add(to router: Router<StudioContext>) {
        for file in files {
            let path = file.name == "index.html" ? "" : file.name
            router.get(RouterPath(path)) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: file.type],
                    body: .init(byteBuffer: file.bytes))
            }
        }
    }
}
