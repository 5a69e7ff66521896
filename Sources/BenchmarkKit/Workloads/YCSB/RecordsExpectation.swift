import ToolSupport

/// The expected contents of a file of records after a run. A fresh process reads the file through
/// the engine.
struct RecordsExpectation: ContentsExpectation {
    var path: String
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    /// The number of records, which are numbered from 0.
    var records: Int
    var seed: UInt64
    /// The last write of each client to each field. The order of the clients is unknown, so a field
    /// must hold the last write of one of them; the loaded value is allowed only if no client wrote
    /// the field.
    var lastStamps: [LastStamp]

    /// Returns every difference between the file and this expectation, one sentence each.
    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer.rawValue)'.")
        }
        let store = try engine.openRecords(at: path, durability)
        var numbers: [UInt64: Int] = [:]
        numbers.reserveCapacity(records)
        for number in 0..<records { numbers[YCSBRecord.hash(number)] = number }
        let stamps = Dictionary(grouping: lastStamps, by: \.place).mapValues { $0.map(\.stamp) }
        var check = Check(expectation: self, lastStamps: stamps, numbers: numbers)
        try store.forEach { check.visit($0, $1) }
        return check.problems()
    }

    private struct Check {
        let expectation: RecordsExpectation
        /// The stamps by the position of the field.
        let lastStamps: [Int: [UInt64]]
        /// The numbers of records not seen yet, by the hash in their keys.
        var numbers: [UInt64: Int]
        var strangers = 0
        var wrongValues = 0

        mutating func visit(_ key: String, _ fields: [[UInt8]]) {
            guard key.hasPrefix("user"), let hash = UInt64(key.dropFirst(4)),
                let number = numbers.removeValue(forKey: hash)
            else {
                strangers += 1
                return
            }
            guard fields.count == YCSBRecord.fieldCount else {
                wrongValues += 1
                return
            }
            for (field, value) in fields.enumerated() {
                let stamp = YCSBRecord.stamp(
                    of: value, record: number, field: field, seed: expectation.seed)
                let place = number * YCSBRecord.fieldCount + field
                let allowed = lastStamps[place] ?? [YCSBRecord.loaded]
                if stamp.map(allowed.contains) != true { wrongValues += 1 }
            }
        }

        func problems() -> [String] {
            var problems: [String] = []
            if !numbers.isEmpty { problems.append("\(numbers.count) records are missing.") }
            if strangers > 0 {
                problems.append("\(strangers) records were never written, or are there twice.")
            }
            if wrongValues > 0 {
                problems.append("\(wrongValues) fields do not hold what was written there last.")
            }
            return problems
        }
    }
}
