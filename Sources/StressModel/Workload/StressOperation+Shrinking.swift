/// Transactions that make the engine give back the end of the file, again and again: three fill it,
/// one deletes most of that, and small ones follow until live pages were moved and the file is cut.
extension StressOperation {
    /// Transactions that fill the file, and the one that empties it.
    package static let transactionsThatFill = 4
    /// Until the next ones do. The engine looks at 16 versions at a time: those in which the file is
    /// filled, those after which it begins to move pages, those in which it does, and those after
    /// which it cuts the file behind them. Some more, for commits of which space is free later.
    package static let shrinkingPeriod = 80

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

    /// About 1.3 MB of long values: three times as much is well above what a file keeps.
    private static func filling(_ random: inout RepeatableRandom) -> [StressOperation] {
        let count = oldAccounts / 3
        return [.addAccounts(count: count, nameLength: 20)]
            + (0..<count).map { _ in
                .setNote(
                    account: random.below(1000), length: 60_000 + random.below(40_000),
                    fill: UInt8(random.below(256)))
            }
    }

    /// What lies behind the long values and outlives them, so that it has to be moved: objects,
    /// values that have pages of their own, lists that are trees.
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
