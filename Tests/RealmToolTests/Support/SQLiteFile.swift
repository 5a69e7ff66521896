import Testing

@testable import RealmTool

/// A database of SQLite that a test writes.
final class SQLiteFile {
    private static let readWriteCreate: Int32 = 6
    private let library: SQLiteLibrary
    private let handle: OpaquePointer

    init(_ path: String) throws {
        library = try SQLiteLibrary()
        var opened: OpaquePointer?
        try #require(library.open(path, &opened, Self.readWriteCreate, nil) == 0)
        handle = try #require(opened)
    }

    deinit { _ = library.close(handle) }

    /// Executes statements, each of which gives no rows that matter.
    func execute(_ statements: String...) throws {
        for sql in statements {
            var statement: OpaquePointer?
            let isPrepared = library.prepare(handle, sql, -1, &statement, nil) == 0
            try #require(isPrepared, "\(String(cString: library.message(handle)!)): \(sql)")
            var code = library.step(statement)
            while code == 100 { code = library.step(statement) }
            #expect(code == 101, "\(String(cString: library.message(handle)!)): \(sql)")
            _ = library.finalize(statement)
        }
    }
}
