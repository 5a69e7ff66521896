import Testing

@testable import BenchmarkKit
@testable import PeerEngines
@testable import ToolSupport

extension PeerTests {
    @Suite struct RecordStoreTests {
        private func record(_ number: Int) -> (key: String, fields: [[UInt8]]) {
            let fields = (0..<10).map { field in
                (0..<(number + field) % 120).map {
                    UInt8(truncatingIfNeeded: $0 &* number &+ field)
                }
            }
            return ("user\(mix64(UInt64(number)))", fields)
        }

        /// Everything that can be read.
        private func expectEqual(_ store: any RecordStore, _ model: [String: [[UInt8]]]) throws {
            let keys = model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for key in keys {
                let sum = model[key]!.reduce(0) { $0 + Int($1.first ?? 0) }
                #expect(try store.read(key) == sum)
            }
            #expect(try store.read("nobody") == nil)
            var found: [String: [[UInt8]]] = [:]
            try store.forEach { found[$0] = $1 }
            #expect(found == model)
            for position in stride(from: 0, to: keys.count, by: 7) {
                let count = try store.scan(from: keys[position], count: 20)
                #expect(count == min(20, keys.count - position))
            }
            #expect(try store.scan(from: "", count: 1000) == keys.count)
            #expect(try store.scan(from: "v", count: 10) == 0)
            #expect(try store.scan(from: "", count: 0) == 0)
        }

        @Test(arguments: Peer.supporting(.records, .recordScans))
        func answersLikeADictionary(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/records"
            var model: [String: [[UInt8]]] = [:]
            do {
                let store = try peer.engine.openRecords(at: path, peer.fastest)
                try expectEqual(store, model)
                let loaded = (0..<150).map(record)
                try store.load(loaded)
                for (key, fields) in loaded { model[key] = fields }
                try expectEqual(store, model)
                let (key, fields) = record(150)
                try store.insert(key, fields)
                model[key] = fields
                for field in 0..<10 {
                    let value = [UInt8](repeating: UInt8(field + 40), count: field * 17)
                    try store.update(key, field: field, to: value)
                    model[key]![field] = value
                    let other = record(field).key
                    try store.readModifyWrite(other, field: 9 - field, to: value)
                    model[other]![9 - field] = value
                }
                try expectEqual(store, model)
                #expect(try store.size().fileBytes > 0)
            }
            try expectEqual(peer.engine.openRecords(at: path, peer.fastest), model)
        }

        @Test(arguments: Peer.supporting(.records, .recordScans))
        func updatingWhatIsMissingFails(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openRecords(at: folder.path + "/records", peer.fastest)
            #expect(throws: (any Error).self) { try store.update("nobody", field: 0, to: [1]) }
            #expect(throws: (any Error).self) {
                try store.readModifyWrite("nobody", field: 0, to: [1])
            }
            // The failed transactions are over.
            let (key, fields) = record(1)
            try store.insert(key, fields)
            try expectEqual(store, [key: fields])
        }

        /// Each operation of YCSB sees the newest version, whichever client made it.
        @Test(arguments: Peer.supporting(.records, .severalStores))
        func eachReadSeesTheNewestVersion(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/records"
            let writer = try peer.engine.openRecords(at: path, peer.fastest)
            try writer.load((1..<4).map(record))
            let reader = try peer.engine.openRecords(at: path, peer.fastest)
            let key = record(1).key
            for field in 0..<10 {
                try writer.update(key, field: field, to: [0])
            }
            for value in UInt8(1)...5 {
                #expect(try reader.read(key) == Int(value) - 1)
                try writer.update(key, field: 3, to: [value])
            }
            guard peer.engine.reason(against: .recordScans) == nil else { return }
            for number in 4..<8 {
                #expect(try reader.scan(from: "", count: 100) == number - 1)
                let (key, fields) = record(number)
                try writer.insert(key, fields)
            }
        }
    }
}
