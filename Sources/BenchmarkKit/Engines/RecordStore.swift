/// Records of the Yahoo! Cloud Serving Benchmark (Cooper et al., 2010), with a string key and ten
/// fields. A store belongs to the thread that opened it. A method that writes is one transaction.
public protocol RecordStore: AnyObject {
    /// Inserts many records in one transaction, for loading.
    func load(_ records: [(key: String, fields: [[UInt8]])]) throws
    /// Reads all fields and returns the sum of their first bytes, which forces the reads. Nil if
    /// there is no such record.
    func read(_ key: String) throws -> Int?
    func update(_ key: String, field: Int, to value: [UInt8]) throws
    func insert(_ key: String, _ fields: [[UInt8]]) throws
    /// Reads up to `count` records in key order from `key` on, and returns how many there were.
    func scan(from key: String, count: Int) throws -> Int
    /// Reads a record and writes one of its fields, in one transaction.
    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws
    /// Calls `body` with every record, in any order.
    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws
    func size() throws -> StoreSize
}
