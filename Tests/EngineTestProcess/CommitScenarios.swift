import Glibc
import StorageEngine

/// Scenarios about transactions. The first argument of each is the path of the database, the second
/// the number of values of 4000 bytes that a transaction replaces. All values hold one number,
/// which every transaction increments.
let commitScenarios: [String: Scenario] = [
    // Arguments: path, values, transactions.
    "count-in-transactions": { arguments in
        let pager = try Pager(database: .open(path: arguments[0]))
        report("open at \(pager.database.path)")
        waitForTest()
        for _ in 0..<Int(arguments[2])! { try raiseNumber(pager, values: Int(arguments[1])!) }
        report("done")
        waitForTest()
    },
    // Arguments: path, values, faults for the system calls from the second transaction on.
    "count-with-faults": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[2]) else { exit(64) }
        let pager = try Pager(database: .open(path: arguments[0]))
        try raiseNumber(pager, values: Int(arguments[1])!)
        report("committed")
        SystemInterceptor(faults: faults).install()
        for _ in 0..<3 { try raiseNumber(pager, values: Int(arguments[1])!) }
        report("survived")
    },
    // Arguments: path, faults for the system calls from the second transaction on. The second
    // commit is relaxed.
    "commit-relaxed": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[1]) else { exit(64) }
        do {
            let pager = try Pager(database: .open(path: arguments[0]))
            try raiseNumber(pager, values: 1)
            SystemInterceptor(faults: faults).install()
            try raiseNumber(pager, values: 1, .relaxed)
            report("\(pager.version)")
            withExtendedLifetime(pager) { _ = waitForTest() }
        }
        report("closed")
    },
    // Arguments: path. The database is never closed: `exit` releases nothing.
    "exit-after-relaxed": { arguments in
        let pager = try Pager(database: .open(path: arguments[0]))
        try raiseNumber(pager, values: 1)
        try raiseNumber(pager, values: 1, .relaxed)
        report("\(pager.version)")
        _ = Unmanaged.passRetained(pager)
        exit(0)
    },
    "pin-version": { arguments in
        let pager = try Pager(database: .open(path: arguments[0]))
        try pager.beginRead()
        report("\(pager.version)")
        waitForTest()
        report("\(try number(pager))")
    },
]

/// Returns the offset of an entry in the root. For each value the root has its page and birth.
private func entry(_ index: Int) -> Int { PageHeader.size + index * 16 }

private func number(_ pager: Pager) throws -> UInt64 {
    guard !pager.root.isNone else { return 0 }
    let root = try pager.page(pager.root)
    return try pager.overflowBytes(reference(root, 0)).loadUnaligned(as: UInt64.self)
}

private func reference(_ root: UnsafeRawPointer, _ index: Int) -> PageReference {
    PageReference(
        page: root.loadUnaligned(fromByteOffset: entry(index), as: UInt64.self),
        birth: root.loadUnaligned(fromByteOffset: entry(index) + 8, as: UInt64.self))
}

private func raiseNumber(
    _ pager: Pager, values: Int, _ durability: CommitDurability = .full
) throws {
    try pager.beginWrite()
    let raised = try number(pager) + 1
    let root: UnsafeMutableRawPointer
    if pager.root.isNone {
        (pager.root, root) = try pager.allocate(pages: 2, kind: .overflow)
        MutablePageHeader(root).lowKey = 320 * 16
    } else {
        (pager.root, root, _) = try pager.makeWritable(pager.root)
    }
    for index in 0..<values {
        let old = reference(root, index)
        if !old.isNone { try pager.free(old) }
        let (new, buffer) = try pager.allocate(pages: 1, kind: .overflow)
        MutablePageHeader(buffer).lowKey = 4000
        for offset in stride(from: 0, to: 4000, by: 8) {
            buffer.storeBytes(
                of: raised, toByteOffset: PageHeader.size + offset, as: UInt64.self)
        }
        root.storeBytes(of: new.page, toByteOffset: entry(index), as: UInt64.self)
        root.storeBytes(of: new.birth, toByteOffset: entry(index) + 8, as: UInt64.self)
    }
    _ = try pager.commit(durability)
}
