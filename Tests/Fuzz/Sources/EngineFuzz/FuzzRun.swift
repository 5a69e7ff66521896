import Glibc

@testable import StorageEngine

/// One malicious file, from opening it to reading it a last time. Every call must end in a value or
/// a `StorageError`.
struct FuzzRun {
    let input: FuzzInput
    let seed: SeedFile

    private static let directory: String = {
        var template = Array("/dev/shm/engine-fuzz-XXXXXX\0".utf8CString)
        if mkdtemp(&template) == nil {
            template = Array("/tmp/engine-fuzz-XXXXXX\0".utf8CString)
            guard mkdtemp(&template) != nil else { fatalError("no directory for files") }
        }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    func run() {
        let path = Self.directory + "/forged"
        let copy = Self.directory + "/copy"
        for name in [path, copy] {
            unlink(name)
            unlink(name + ".lock")
        }
        write(Forgery.apply(input, to: seed), path)
        expectStorageErrors {
            let connection = try open(path)
            expectStorageErrors { try read(connection) }
            if input.options.contains(.copies) {
                expectStorageErrors {
                    // A limit on the size of the copy is one of the test, not of the engine.
                    try connection.writeCopy(toPath: copy)
                    try read(open(copy))
                }
            }
            expectStorageErrors { try write(connection) }
            expectStorageErrors { try read(connection) }
        }
        // Reopen, and read what was written.
        expectStorageErrors { try read(open(path)) }
    }

    private func open(_ path: String) throws -> Connection {
        try Connection(Database.open(path: path, options: seed.options))
    }

    private func read(_ connection: Connection) throws {
        expectStorageErrors { _ = try connection.verify() }
        expectStorageErrors { _ = try connection.database.statistics() }
        var reader = FileReader(connection)
        try reader.readEverything()
    }

    private func write(_ connection: Connection) throws {
        let before = try Connection(connection.database)
        for (number, step) in FileEditor.Step.allCases.enumerated()
        where step != .deleteAll || input.options.contains(.deletes) {
            try connection.beginWrite()
            if number % 2 == 1 { moveEverything(connection) }
            do {
                let editor = try FileEditor(connection)
                try editor.run(step)
                try connection.commit()
            } catch {
                connection.rollback()
                throw error
            }
            expectStorageErrors { _ = try connection.changes(since: before) }
        }
    }

    /// Makes the open transaction move live pages to lower ones, wherever they lie, as in a file
    /// that is mostly free.
    private func moveEverything(_ connection: Connection) {
        let database = connection.database
        connection.pager.writing.map.space.ceiling = database.file.firstPage
        database.writer.tailRelease.walk = TailWalk()
    }

    private func write(_ bytes: [UInt8], _ path: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { fatalError("\(path): error \(errno)") }
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
            }
            guard count > 0 else { fatalError("\(path): error \(errno)") }
            done += count
        }
    }
}

/// Accepts a `StorageError`. Any other error is a finding of the fuzzer.
func expectStorageErrors(_ body: () throws -> Void) {
    do {
        try body()
    } catch is StorageError {
    } catch {
        fatalError("neither a value nor a StorageError: \(error)")
    }
}
