import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of both record stores of the embedded engine against a dictionary.
@Suite struct RecordStoreTests {
    private static let engines: [any BenchmarkEngine] = [RealmObjectEngine(), RealmTableEngine()]

    private static func engine(_ layer: EngineLayer) throws -> any BenchmarkEngine {
        try #require(engines.first { $0.layer == layer })
    }

    private func expectEqual(_ store: any RecordStore, _ model: [String: [[UInt8]]]) throws {
        var found: [String: [[UInt8]]] = [:]
        var visits = 0
        try store.forEach {
            found[$0] = $1
            visits += 1
        }
        #expect(visits == model.count)
        #expect(found == model)
    }

    @Test(arguments: [EngineLayer.api, .engine])
    func randomOperationsLeaveWhatADictionaryHolds(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        let engine = try Self.engine(layer)
        let store = try engine.openRecords(at: folder.path + "/records.realm", .full)
        var generator = SeededGenerator(seed: 17)
        var model: [String: [[UInt8]]] = [:]
        let loaded = (0..<120).map {
            (key: YCSBRecord.key($0), fields: YCSBRecord.fields(record: $0, stamp: 0, seed: 1))
        }
        try store.load(loaded)
        for record in loaded { model[record.key] = record.fields }
        for step in 0..<400 {
            let number = generator.next(below: 200)
            let key = YCSBRecord.key(number)
            let field = generator.next(below: YCSBRecord.fieldCount)
            // Values also have other lengths, including zero.
            let value = (0..<generator.next(below: 120)).map { _ in
                UInt8(truncatingIfNeeded: generator.next())
            }
            switch generator.next(below: 5) {
            case 0 where model[key] == nil:
                let fields = YCSBRecord.fields(record: number, stamp: UInt64(step), seed: 1)
                try store.insert(key, fields)
                model[key] = fields
            case 1 where model[key] != nil:
                try store.update(key, field: field, to: value)
                model[key]![field] = value
            case 2 where model[key] != nil:
                try store.readModifyWrite(key, field: field, to: value)
                model[key]![field] = value
            case 3:
                let expected = model.keys.count { $0 >= key }
                #expect(try store.scan(from: key, count: 50) == min(50, expected))
                #expect(try store.scan(from: "", count: 0) == 0)
            default:
                let sum = model[key].map { $0.reduce(0) { $0 + Int($1.first ?? 0) } }
                #expect(try store.read(key) == sum)
            }
        }
        try expectEqual(store, model)
        #expect(try store.size().fileBytes > 0)
    }

    @Test(arguments: [EngineLayer.api, .engine])
    func aRecordThatDoesNotExistCannotBeChanged(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        let store = try Self.engine(layer).openRecords(at: folder.path + "/r.realm", .full)
        #expect(try store.read("nobody") == nil)
        #expect(throws: BenchmarkError.self) { try store.update("nobody", field: 0, to: [1]) }
        #expect(throws: BenchmarkError.self) {
            try store.readModifyWrite("nobody", field: 0, to: [1])
        }
        // The failed transaction is over, so the next one can begin.
        try store.insert("somebody", YCSBRecord.fields(record: 0, stamp: 0, seed: 1))
        #expect(try store.read("somebody") != nil)
    }

    @Test func bothLayersKeepOneAnothersRecords() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/records.realm"
        let fields = YCSBRecord.fields(record: 0, stamp: 0, seed: 1)
        let objects = try RealmObjectEngine().openRecords(at: path, .full)
        let tables = try RealmTableEngine().openRecords(at: path, .full)
        try objects.insert("a", fields)
        #expect(try tables.read("a") != nil)
        try tables.update("a", field: 9, to: [200])
        try expectEqual(objects, ["a": Array(fields.dropLast()) + [[200]]])
    }

    @Test func bothLayersScan() throws {
        for strategy in ["api", "api-rate", "engine", "engine-rate"] {
            let scans = try #require(
                try WorkloadCatalogue.makeCase(
                    workload: "ycsb-e", strategy: strategy, size: 10, options: CaseOptions()))
            #expect(scans.unsupported == nil)
        }
    }
}
