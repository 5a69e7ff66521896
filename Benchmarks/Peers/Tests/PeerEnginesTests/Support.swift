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

    var testDescription: String { "\(engine.name) \(engine.layer)" }

    /// The embedded engine's layers as well, so that all answer to the same model.
    static let all: [Peer] = {
        EngineCatalogue.register(PeerEngines.all)
        return EngineCatalogue.all.map { Peer(engine: $0) }
    }()

    /// Those that answer everything that a model of persons is asked.
    static let answering = supporting(
        .count, .prefixCount, .dateRangeCount, .sum, .sort, .queries)

    /// Those of them that change persons as well.
    static let ofPersons = answering.filter { peer in
        [.updates, .deletes, .copies].allSatisfy { peer.engine.reason(against: $0) == nil }
    }

    /// The embedded engine stores sensors as objects only.
    static let ofSensors = supporting(.sensors).filter {
        $0.engine.name != "realm" || $0.engine.layer == .api
    }

    static func supporting(_ features: EngineFeature...) -> [Peer] {
        all.filter { peer in features.allSatisfy { peer.engine.reason(against: $0) == nil } }
    }

    func stores(_ layout: PersonLayout) -> Bool {
        switch layout {
        case .stringKey: engine.reason(against: .stringKeys) == nil
        case .indexed: engine.reason(against: .secondaryIndex) == nil
        case .indexedNumber: engine.reason(against: .indexedNumbers) == nil
        case .unkeyed, .integerKey: true
        }
    }

    /// One that loses no commit and does not wait for the disk, so that tests are fast.
    var fastest: Durability { engine.durabilities.last! }
}

extension PersonLayout {
    static let all: [PersonLayout] = [
        .unkeyed, .integerKey, .stringKey, .indexed, .indexedNumber,
    ]
}

func makePersons(
    _ count: Int, seed: UInt64 = 7, names: PersonNames = .numbers
) -> [PersonValues] {
    var generator = PersonGenerator(seed: seed, names: names)
    return (0..<count).map { _ in generator.next() }
}

/// One test at a time: some read counters of the whole process, and some are about threads.
@Suite(.serialized) enum PeerTests {}
