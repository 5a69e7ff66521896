/// What the records of a run with one client must hold: the newest stamp of every field.
struct RecordModel {
    private let seed: UInt64
    private var stamps: [UInt64]

    init(records: Int, seed: UInt64) {
        self.seed = seed
        stamps = [UInt64](
            repeating: YCSBRecord.loaded, count: records * YCSBRecord.fieldCount)
    }

    mutating func set(_ record: Int, field: Int, to stamp: UInt64) {
        stamps[record * YCSBRecord.fieldCount + field] = stamp
    }

    /// A new record at the end.
    mutating func append(stamp: UInt64) {
        for _ in 0..<YCSBRecord.fieldCount { stamps.append(stamp) }
    }

    func digest() -> ResultDigest {
        var digest = ResultDigest()
        for record in 0..<stamps.count / YCSBRecord.fieldCount {
            let fields = (0..<YCSBRecord.fieldCount).map { field in
                YCSBRecord.value(
                    record: record, field: field,
                    stamp: stamps[record * YCSBRecord.fieldCount + field], seed: seed)
            }
            digest.add(YCSBRecord.digestRow(YCSBRecord.key(record), fields))
        }
        return digest
    }
}
