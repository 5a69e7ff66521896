import StorageEngine

/// The expected contents of the stress workload's database, in plain Swift values that share no
/// code with the engine.
package struct ModelDatabase: Sendable {
    struct Account: Sendable {
        var id: Int64
        var name: String
        var balance: Int64 = 0
        var note: [UInt8]?
        /// Object key of the linked account.
        var friend: Int64?
        var history: [Int64] = []
        /// Values of the set, ascending.
        var marks: [Int64] = []
        /// Entries of the map, ascending by name.
        var facts: [(name: String, value: Int64)] = []
    }

    struct Event: Sendable {
        var tag: String
        var time: Double
    }

    /// The objects of a table in the order of their keys. Keys are never reused.
    struct Objects<Object: Sendable>: Sendable {
        private(set) var keys: [Int64] = []
        var values: [Object] = []
        private(set) var nextKey: Int64 = 0

        var count: Int { keys.count }

        /// Returns the number modulo the count, or nil if there are no objects.
        func position(_ number: Int) -> Int? { keys.isEmpty ? nil : number % keys.count }

        /// Returns the positions of `count` objects from number `first` on, as far as they exist.
        func positions(_ first: Int, _ count: Int) -> Range<Int> {
            StressOperation.range(first, count, of: keys.count)
        }

        mutating func append(_ object: Object) -> Int64 {
            keys.append(nextKey)
            values.append(object)
            nextKey += 1
            return nextKey - 1
        }

        /// Removes objects and returns their keys.
        mutating func remove(_ positions: Range<Int>) -> Set<Int64> {
            let removed = Set(keys[positions])
            keys.removeSubrange(positions)
            values.removeSubrange(positions)
            return removed
        }
    }

    /// Number of transactions so far.
    var progress = 0
    var accounts = Objects<Account>()
    var events = Objects<Event>()

    package init() {}
}

// MARK: Changes

extension ModelDatabase {
    /// Carries out a transaction. Its `number` makes its keys differ from those of other
    /// transactions.
    mutating func apply(_ operations: [StressOperation], number: Int) {
        progress += 1
        var names = StressNames(transaction: number)
        for operation in operations { apply(operation, &names) }
    }

    private mutating func apply(_ operation: StressOperation, _ names: inout StressNames) {
        switch operation {
        case .addAccounts(let count, let nameLength):
            for _ in 0..<count {
                let id = names.nextID()
                _ = accounts.append(Account(id: id, name: StressNames.name(id, nameLength)))
            }
        case .setBalance(let account, let value): change(account) { $0.balance = value }
        case .setNote(let account, let length, let fill):
            change(account) { $0.note = length.map { StressNames.note($0, fill) } }
        case .setFriend(let account, let friend):
            guard let position = accounts.position(friend) else { return }
            let key = accounts.keys[position]
            change(account) { $0.friend = key }
        case .record(let account, let count, let position):
            guard let owner = accounts.position(account) else { return }
            for index in 0..<count {
                let event = names.nextEvent()
                let key = events.append(Event(tag: event.tag, time: event.time))
                let length = accounts.values[owner].history.count
                accounts.values[owner].history.insert(key, at: (position + index) % (length + 1))
            }
        case .moveEvent(let account, let from, let to):
            change(account) { account in
                guard !account.history.isEmpty else { return }
                let count = account.history.count
                account.history.insert(account.history.remove(at: from % count), at: to % count)
            }
        case .mark(let account, let value):
            change(account) { account in
                let place = account.marks.firstIndex { $0 >= value } ?? account.marks.count
                if place == account.marks.count || account.marks[place] != value {
                    account.marks.insert(value, at: place)
                }
            }
        case .unmark(let account, let value):
            change(account) { $0.marks.removeAll { $0 == value } }
        case .setFact(let account, let name, let value):
            let name = StressNames.fact(name)
            change(account) { account in
                account.facts.removeAll { $0.name == name }
                let place = account.facts.firstIndex { $0.name > name } ?? account.facts.count
                account.facts.insert((name, value), at: place)
            }
        case .removeFact(let account, let name):
            let name = StressNames.fact(name)
            change(account) { $0.facts.removeAll { $0.name == name } }
        case .deleteAccounts(let first, let count):
            let removed = accounts.remove(accounts.positions(first, count))
            for index in accounts.values.indices {
                if let friend = accounts.values[index].friend, removed.contains(friend) {
                    accounts.values[index].friend = nil
                }
            }
        case .deleteEvents(let first, let count):
            let removed = events.remove(events.positions(first, count))
            for index in accounts.values.indices {
                accounts.values[index].history.removeAll { removed.contains($0) }
            }
        case .deleteAllAccounts: _ = accounts.remove(0..<accounts.count)
        }
    }

    private mutating func change(_ account: Int, _ body: (inout Account) -> Void) {
        guard let position = accounts.position(account) else { return }
        body(&accounts.values[position])
    }
}
