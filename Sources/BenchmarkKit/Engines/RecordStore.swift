/// Records as the Yahoo! Cloud Serving Benchmark has them: a string key and ten fields. Belongs to
/// the thread that opened it. A call that writes is one transaction.
public protocol RecordStore: AnyObject {
    /// Many records in one transaction, for loading.
    func load(_ records: [(key: String, fields: [[UInt8]])]) throws
    /// All fields; the sum of the first bytes of all, so that they must have been read. Nil if
    /// there is no such record.
    func read(_ key: String) throws -> Int?
    func update(_ key: String, field: Int, to value: [UInt8]) throws
    func insert(_ key: String, _ fields: [[UInt8]]) throws
    /// Reads up to `count` records in order of keys, from `key` on; how many there were.
    func scan(from key: String, count: Int) throws -> Int
    /// Reads a record and writes one of its fields, in one transaction.
    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws
    /// Calls `body` with every record, in any order.
    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws
    func size() throws -> StoreSize
}
