/// One change of the stress workload's database.
///
/// Objects are named by numbers taken modulo the number of objects. So an operation can be carried
/// out whatever came before it, and a sequence of operations stays meaningful when some are left
/// out.
package enum StressOperation: Equatable, Sendable {
    case addAccounts(count: Int, nameLength: Int)
    case setBalance(account: Int, Int64)
    /// Sets the note to data of `length` bytes, or to null.
    case setNote(account: Int, length: Int?, fill: UInt8)
    case setFriend(account: Int, friend: Int)
    /// Creates events and inserts them into the account's list, from `position` on.
    case record(account: Int, events: Int, position: Int)
    case moveEvent(account: Int, from: Int, to: Int)
    case mark(account: Int, Int64)
    case unmark(account: Int, Int64)
    case setFact(account: Int, name: Int, Int64)
    case removeFact(account: Int, name: Int)
    case deleteAccounts(first: Int, count: Int)
    case deleteEvents(first: Int, count: Int)
    case deleteAllAccounts
}

/// Amount of work in the transactions of a workload.
package enum StressScale: String, CaseIterable, Sendable {
    /// One or two changes of a few bytes. They write so few pages that every subset of them can be
    /// tried.
    case small
    /// All kinds of changes. Some values take pages of their own.
    case mixed
    /// As `mixed`, with an occasional value of more than a MiB, or the deletion of nearly
    /// everything. The file grows, and some commits take two syncs.
    case large
    /// Filling, emptying, then small changes: pages are moved to the beginning and the file is cut.
    case shrinking
}

extension StressOperation {
    /// Returns the positions of up to `count` objects from number `first` on.
    static func range(_ first: Int, _ count: Int, of objects: Int) -> Range<Int> {
        guard objects > 0 else { return 0..<0 }
        return first % objects..<min(first % objects + count, objects)
    }

    /// Returns the operations of one transaction. Numbers count from 1.
    static func transaction(
        _ scale: StressScale, number: Int, _ random: inout RepeatableRandom
    ) -> [StressOperation] {
        switch scale {
        case .shrinking: return shrinking(number: number, &random)
        case .small:
            return (0...random.below(2)).map { _ in small(&random) }
        case .mixed:
            return (0..<(2 + random.below(6))).map { _ in any(longestNote: 14_000, &random) }
        case .large:
            var operations = (0..<(2 + random.below(6))).map { _ in
                any(longestNote: 200_000, &random)
            }
            switch random.below(8) {
            case 0:
                operations.append(
                    .setNote(
                        account: random.below(1000), length: 1_100_000 + random.below(800_000),
                        fill: UInt8(random.below(256))))
            case 1: operations.append(.deleteAllAccounts)
            default: break
            }
            return operations
        }
    }

    static func small(_ random: inout RepeatableRandom) -> StressOperation {
        let account = random.below(1000)
        switch random.below(5) {
        case 0: return .addAccounts(count: 1, nameLength: random.below(20))
        case 1: return .record(account: account, events: 1, position: random.below(1000))
        case 2: return .setFriend(account: account, friend: random.below(1000))
        case 3: return .setNote(account: account, length: random.below(60), fill: 7)
        default: return .setBalance(account: account, Int64(random.below(1 << 30)))
        }
    }

    private static func any(
        longestNote: Int, _ random: inout RepeatableRandom
    ) -> StressOperation {
        let account = random.below(1000)
        switch random.below(16) {
        case 0, 1:
            return .addAccounts(count: 1 + random.below(25), nameLength: random.below(60))
        case 2: return .setBalance(account: account, Int64(bitPattern: random.next()))
        case 3, 4, 5:
            let lengths = [nil, 0, 40, 600, 5000, longestNote]
            return .setNote(
                account: account, length: lengths[random.below(lengths.count)],
                fill: UInt8(random.below(256)))
        case 6: return .setFriend(account: account, friend: random.below(1000))
        case 7, 8:
            return .record(
                account: account, events: 1 + random.below(40), position: random.below(1000))
        case 9:
            return .moveEvent(
                account: account, from: random.below(1000), to: random.below(1000))
        case 10: return .mark(account: account, Int64(random.below(200)))
        case 11: return .unmark(account: account, Int64(random.below(200)))
        case 12:
            return .setFact(
                account: account, name: random.below(30), Int64(random.below(1 << 40)))
        case 13: return .removeFact(account: account, name: random.below(30))
        // Deletes about as many as other operations add, so that the database does not grow without
        // end.
        case 14: return .deleteAccounts(first: account, count: 1 + random.below(50))
        default: return .deleteEvents(first: random.below(1000), count: 1 + random.below(80))
        }
    }
}
