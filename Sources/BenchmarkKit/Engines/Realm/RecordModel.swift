/// The newest stamp that one client wrote to each field; `loaded` for fields that it did not write.
struct RecordModel: Sendable {
    private let seed: UInt64
    private var stamps: [UInt64]

    init(records: Int, seed: UInt64) {
        self.seed = seed
        stamps = [UInt64](
            repeating: YCSBRecord.loaded, count: records * YCSBRecord.fieldCount)
    }

    mutating func set(_ record: Int, field: Int, to stamp: UInt64) {
        reach(record)
        stamps[record * YCSBRecord.fieldCount + field] = stamp
    }

    /// Adds a record, at the end or after records that other clients add.
    mutating func insert(_ record: Int, stamp: UInt64) {
        for field in 0..<YCSBRecord.fieldCount { set(record, field: field, to: stamp) }
    }

    private mutating func reach(_ record: Int) {
        let missing = (record + 1) * YCSBRecord.fieldCount - stamps.count
        guard missing > 0 else { return }
        stamps.append(contentsOf: repeatElement(YCSBRecord.loaded, count: missing))
    }

    /// The last stamp of every written field.
    var lastStamps: [LastStamp] {
        stamps.enumerated().compactMap { place, stamp in
            stamp == YCSBRecord.loaded ? nil : LastStamp(place: place, stamp: stamp)
        }
    }

    /// Returns the digest of all records; valid only if no other client wrote.
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

/// The last write of a client to one field. Encoded as two numbers, because there may be millions.
struct LastStamp: Codable, Sendable {
    /// The position of the field: record * `YCSBRecord.fieldCount` + field.
    var place: Int
    var stamp: UInt64

    init(place: Int, stamp: UInt64) {
        self.place = place
        self.stamp = stamp
    }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        place = try values.decode(Int.self)
        stamp = try values.decode(UInt64.self)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(place)
        try values.encode(stamp)
    }
}
