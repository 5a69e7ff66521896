/// The values that a transaction gives to what it creates. They are functions of its number, so
/// that model and database get the same values.
struct StressNames {
    private let transaction: Int
    private var made = 0

    init(transaction: Int) { self.transaction = transaction }

    mutating func nextID() -> Int64 {
        made += 1
        return Int64(transaction) * 100_000 + Int64(made)
    }

    mutating func nextEvent() -> (tag: String, time: Double) {
        let id = nextID()
        return ("event-\(id)", Double(id) + 0.25)
    }

    static func name(_ id: Int64, _ length: Int) -> String {
        String(String(repeating: "n\(id)-", count: length / 4 + 1).prefix(length))
    }

    static func note(_ length: Int, _ fill: UInt8) -> [UInt8] {
        var note = [UInt8](repeating: fill, count: length)
        for index in 0..<length { note[index] ^= UInt8(truncatingIfNeeded: index ^ (index >> 8)) }
        return note
    }

    static func fact(_ number: Int) -> String { "fact \(number)" }
}
