import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines

/// A folder that is removed with this object.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-bench-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// An engine as the argument of a test.
struct Peer: CustomTestStringConvertible, Sendable {
    var engine: any BenchmarkEngine

    var testDescription: String { engine.name }

    static let all = PeerEngines.all.map { Peer(engine: $0) }

    /// One that loses no commit and does not wait for the disk, so that tests are fast.
    var fastest: Durability { engine.durabilities.last! }
}

extension PersonLayout {
    static let all: [PersonLayout] = [.unkeyed, .integerKey, .stringKey, .indexed]
}

func makePersons(_ count: Int, seed: UInt64 = 7) -> [PersonValues] {
    var generator = PersonGenerator(seed: seed)
    return (0..<count).map { _ in generator.next() }
}

/// One test at a time: some read counters of the whole process, and some are about threads.
@Suite(.serialized) enum PeerTests {}
