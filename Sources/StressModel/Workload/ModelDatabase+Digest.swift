import StorageEngine

extension ModelDatabase {
    /// Returns what ``DatabaseDigest/of(_:skipping:)`` must return for a database with these
    /// contents.
    package func digest() -> UInt64 {
        var digest = DatabaseDigest()
        // Before the first transaction there are no tables.
        guard progress > 0 else { return digest.value }
        digest.add(StressSchema.progress)
        digest.add(1)
        digest.add(0)
        digest.add(.integer(Int64(progress)))
        digest.add(StressSchema.account)
        digest.add(UInt64(accounts.count))
        for (key, account) in zip(accounts.keys, accounts.values) {
            digest.add(UInt64(bitPattern: key))
            digest.add(account)
        }
        digest.add(StressSchema.event)
        digest.add(UInt64(events.count))
        for (key, event) in zip(events.keys, events.values) {
            digest.add(UInt64(bitPattern: key))
            digest.add(textValue: event.tag)
            digest.add(.double(event.time))
        }
        return digest.value
    }
}

extension DatabaseDigest {
    /// Adds an account's values in the order of the table's columns.
    fileprivate mutating func add(_ account: ModelDatabase.Account) {
        add(.integer(account.id))
        add(textValue: account.name)
        add(.integer(account.balance))
        if let note = account.note {
            note.withUnsafeBytes { add(.bytes($0)) }
        } else {
            add(.null)
        }
        add(account.friend.map { Scalar.integer($0) } ?? .null)
        add(UInt64(account.history.count))
        for event in account.history { add(.integer(event)) }
        add(UInt64(account.marks.count))
        for mark in account.marks { add(.integer(mark)) }
        add(UInt64(account.facts.count))
        for fact in account.facts {
            add(fact.name)
            add(.integer(fact.value))
        }
    }

    fileprivate mutating func add(textValue text: String) {
        var text = text
        text.withUTF8 { add(.bytes(UnsafeRawBufferPointer($0))) }
    }
}
