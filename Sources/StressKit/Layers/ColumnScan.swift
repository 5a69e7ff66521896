import StorageEngine
import StressModel

/// A class of 30 properties, in which all pages that hold only one of the properties are damaged.
/// Reading that property gives an error. A scan of another property must not notice.
struct ColumnScan {
    private static let columnCount = 30
    private static let rowCount = 3000
    private static let scanned = 3
    private static let damaged = 17
    /// Byte that fills the values of the damaged property, so that its pages can be recognized.
    private static let fill: UInt8 = 0xB7
    private static let valueBytes = 24

    private let path: String
    private let trial: Trial
    private let definition = TableDefinition(
        name: "Wide",
        columns: (0..<Self.columnCount).map {
            ColumnDefinition(name: "property\($0)", type: $0 == Self.damaged ? .data : .int)
        })
    private let numbers: [Int64]

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.path = path
        self.trial = trial
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 10 << 32)
        numbers = (0..<Self.rowCount).map { _ in Int64(random.below(100)) }
    }

    /// Runs the scan on a plain file, whatever the point says, because the pages of an encrypted
    /// file cannot be recognized.
    func run() throws {
        try write()
        try damage()
        let connection = try Connection(Database.open(path: path))
        let table = try connection.table(named: definition.name)!
        let isYoung = try table.predicate(Self.scanned, .compare(.less, .integer(30)))
        let expected = numbers.count { $0 < 30 }
        let found: Int
        do throws(StorageError) { found = try table.count(where: isYoung) } catch {
            throw Finding(
                .wrongState, "a scan reads the pages of other properties: \(error.message)")
        }
        guard found == expected else {
            throw Finding(.wrongState, "\(found) objects match, not \(expected).")
        }
        try checkDamage(table)
        trial.count(states: 1)
    }

    /// Writes the objects. A separate function, so that the database is closed when it returns.
    private func write() throws {
        let connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables([definition])
        let table = try connection.table(named: definition.name)!
        let filling = [UInt8](repeating: Self.fill, count: Self.valueBytes)
        for number in numbers {
            _ = try table.insert(
                (0..<Self.columnCount).map {
                    $0 == Self.damaged ? .bytes(filling) : .integer(number)
                })
        }
        try connection.commit()
        trial.count(commits: 1)
    }

    private func damage() throws {
        var bytes = try trial.read(path)
        let size = FileDamage.blockSize
        for start in stride(from: 0, to: bytes.count, by: size) {
            let page = bytes[start..<min(start + size, bytes.count)]
            if page.count(where: { $0 == Self.fill }) > size / 2 { bytes[start + 100] ^= 1 }
        }
        try trial.write(bytes, to: path)
    }

    /// Checks that the damage is there. Without it the scan would prove nothing.
    private func checkDamage(_ table: Table) throws {
        do throws(StorageError) {
            for row in 0..<Self.rowCount {
                _ = try table.value(Self.damaged, of: table.key(at: row))
            }
        } catch {
            if error.code == .damaged { return }
            throw error
        }
        throw Finding(.wrongState, "damaged pages are read as if they were sound.")
    }
}
