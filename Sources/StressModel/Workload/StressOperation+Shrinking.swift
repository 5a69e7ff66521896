/// Transactions that make the engine cut the end of the file, again and again. Three transactions
/// fill the file and one deletes most of that. Small ones follow, until live pages were moved and
/// the file is cut.
extension StressOperation {
    /// Number of transactions that fill the file, including the one that empties it.
    package static let transactionsThatFill = 4
    /// Number of transactions until the file is filled again.
    ///
    /// The engine looks at 16 versions at a time: those that fill the file, those after which it
    /// begins to move pages, those that move them, and those after which it cuts the file. Some
    /// more are for commits whose pages are freed later.
    package static let shrinkingPeriod = 80

    /// The number of transactions after which any file has all its commit slots.
    package static let transactionsForAllSlots = 70

    private static let oldAccounts = 48
    private static let newAccounts = 30

    static func shrinking(
        number: Int, _ random: inout RepeatableRandom
    ) -> [StressOperation] {
        switch (number - 1) % shrinkingPeriod + 1 {
        case 1: return [.deleteAllAccounts] + filling(&random)
        case 2: return filling(&random)
        case 3: return filling(&random) + staying(&random)
        case transactionsThatFill:
            return [.deleteAccounts(first: 0, count: oldAccounts)]
        default: return (0...random.below(2)).map { _ in small(&random) }
        }
    }

    /// Returns operations that write about 1.3 MB of long values. Three times that is well above
    /// what a file keeps.
    private static func filling(_ random: inout RepeatableRandom) -> [StressOperation] {
        let count = oldAccounts / 3
        return [.addAccounts(count: count, nameLength: 20)]
            + (0..<count).map { _ in
                .setNote(
                    account: random.below(1000), length: 60_000 + random.below(40_000),
                    fill: UInt8(random.below(256)))
            }
    }

    /// Returns operations whose objects lie behind the long values and outlive them, so that they
    /// have to be moved. They make objects, values with pages of their own, and lists that are
    /// trees.
    private static func staying(_ random: inout RepeatableRandom) -> [StressOperation] {
        var operations: [StressOperation] = [.addAccounts(count: newAccounts, nameLength: 40)]
        for _ in 0..<12 {
            operations.append(
                .setNote(account: random.below(1000), length: 9000, fill: 11))
            operations.append(
                .record(account: random.below(1000), events: 12, position: random.below(1000)))
        }
        return operations
    }
}
