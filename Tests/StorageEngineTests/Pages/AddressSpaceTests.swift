import Foundation
import Glibc
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// The address space, mappings and descriptors that many open files, and large ones, use.
@Suite(.serialized) struct AddressSpaceTests {
    private let directory = TestDirectory()

    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Raises the limit on descriptors as far as possible, and returns it.
    private func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// The processor time of this thread, which does not include waiting for the disk.
    private func processorNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        // Pages of files are excluded, because the system may evict them at any time.
        let pages = text.split(separator: " ").compactMap { Int($0) }
        return (pages[1] - pages[2]) * 4096
    }

    private func makeFile(_ kind: FileKind) throws -> String {
        let path = directory.file("one")
        let connection = try kind.open(path)
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Item", columns: [ColumnDefinition(name: "bytes", type: .data)])
        ])
        let table = try #require(try connection.table(named: "Item"))
        for _ in 0..<64 {
            let bytes = [UInt8](repeating: 7, count: 10_000)
            try bytes.withUnsafeBytes { bytes in
                try [Scalar.bytes(bytes)].withUnsafeBufferPointer { _ = try table.insert($0) }
            }
        }
        try connection.commit()
        return path
    }

    /// A long test: 5,000 files need 15,000 descriptors (`ulimit -n`) and 5 GB of disk.
    /// `REALM_OPEN_FILES=1000` opens only 1,000.
    @Test(.notUnderThreadSanitizer, arguments: FileKind.allCases)
    func anOpenFileTakesLittleOfWhatAProcessHas(kind: FileKind) throws {
        let descriptorLimit = raiseDescriptorLimit()
        let count =
            ProcessInfo.processInfo.environment["REALM_OPEN_FILES"].flatMap { Int($0) }
            ?? LongTests.choose(5000, otherwise: 150)
        try #require(
            descriptorLimit > 3 * count + 500, "'ulimit -n' is \(descriptorLimit): too low")
        let original = try makeFile(kind)
        var open: [Connection] = []
        let space = try #require(System.addressSpaceInUse)
        let mappings = try #require(System.mappingCount)
        let resident = try residentBytes()
        let descriptors = try openDescriptors()
        var nanoseconds = [UInt64](repeating: 0, count: 10)
        for index in 0..<count {
            let path = directory.file("copy\(index)")
            try FileManager.default.copyItem(atPath: original, toPath: path)
            let start = processorNanoseconds()
            open.append(try use(path, kind, changes: index % 10 == 0))
            nanoseconds[index * 10 / count] += processorNanoseconds() - start
        }
        let spaceEach = (System.addressSpaceInUse! - space) / count
        let mappingsEach = Double(System.mappingCount! - mappings) / Double(count)
        let descriptorsEach = Double(try openDescriptors() - descriptors) / Double(count)
        let residentEach = (try residentBytes() - resident) / count
        let closing = processorNanoseconds()
        open.removeAll()
        print(
            "\(kind), \(count) files: each \(spaceEach >> 20) MiB of address space, "
                + "\(residentEach >> 10) KiB of memory, \(mappingsEach) mappings, "
                + "\(descriptorsEach) descriptors; microseconds of processor to open and use one, "
                + "by tenths: "
                + "\(nanoseconds.map { $0 / UInt64(count / 10) / 1000 }); to close one: "
                + "\((processorNanoseconds() - closing) / UInt64(count) / 1000)")
        // There are 47 bits of address space and 65,530 mappings: enough for ten times 5,000 files,
        // and for twice as many.
        #expect(spaceEach < 2_500 << 20)
        #expect(mappingsEach < 8)
        #expect(descriptorsEach < 6)
        #expect(residentEach < 1 << 20)
        // The remaining resources of the process are not used up.
        let memory = try #require(malloc(64 << 20))
        free(memory)
    }

    /// Returns a connection that has read a file, and has committed to it if `changes` is set.
    private func use(_ path: String, _ kind: FileKind, changes: Bool) throws -> Connection {
        let connection = try kind.open(path)
        if changes {
            try connection.beginWrite()
            let table = try #require(try connection.table(named: "Item"))
            _ = try table.allKeys().first.map { try table.delete($0) }
            try connection.commit()
        } else {
            _ = try connection.refresh()
        }
        let table = try #require(try connection.table(named: "Item"))
        try #require(try table.allKeys().count >= 63)
        return connection
    }

    @Test(.notUnderThreadSanitizer, arguments: FileKind.allCases)
    func twentyFilesOfAHundredGigabytesAreMappedAtOnce(kind: FileKind) throws {
        var files: [PageFile] = []
        let bytes: UInt64 = 100 << 30
        defer { for file in files { System.close(file.descriptor) } }
        for index in 0..<20 {
            let path = directory.file("large\(index)")
            var header = FileHeader(
                pageSize: 4096, fileID: (UInt64(index), 1), isUnfinished: false)
            var cipher: FileCipher?
            if let key = kind.options.encryptionKey {
                try header.encrypt(key: key, path: path)
                cipher = try header.cipher(key: key, path: path)
            }
            let descriptor = try System.open(path, flags: O_RDWR | O_CREAT)
            let file = PageFile(
                descriptor: descriptor, path: path, header: header, cipher: cipher,
                problemOfNode: Node.problem(ofStored:))
            files.append(file)
            try System.truncate(descriptor, to: bytes)
            try file.map(pageCount: bytes >> 12)
            let pages = try #require(file.pages)
            #expect(pages.ranges.byteCount >= 400 << 30)
            let last = pages.ranges.file + Int(bytes) - 1
            #expect(last.load(as: UInt8.self) == 0)
            let word = pages.checkedBirths + Int(bytes >> 12) - 1
            #expect(word.loadAcquire() == 0)
        }
    }

    /// Files that are being opened stay in the table; those that were closed do not accumulate.
    @Test func theTableOfOpenFilesHoldsLittleElse() {
        var table = Database.OpenTable()
        func identity(_ inode: Int) -> Database.Identity {
            Database.Identity(device: 1, inode: UInt64(inode), isReadOnly: false)
        }
        let kept = (0..<100).map { table.addOpener(identity($0)) }
        for inode in 100..<5000 {
            _ = table.addOpener(identity(inode))
            table.entries[identity(inode)]!.openers -= 1
        }
        #expect(table.entries.count <= 2 * 101)
        for (inode, lock) in kept.enumerated() {
            #expect(table.addOpener(identity(inode)) === lock)
        }
    }

    @Test func smallFilesGetLittleAndLargeOnesRoomToGrow() {
        let gigabyte = 1 << 30
        #expect(AddressRanges.preferredByteCount(atLeast: 1 << 20, limit: nil) == gigabyte)
        #expect(AddressRanges.preferredByteCount(atLeast: gigabyte, limit: nil) == 4 * gigabyte)
        // If a process may use 2 GiB, there is room for more than one file.
        let limited = AddressRanges.preferredByteCount(atLeast: 1 << 20, limit: 2 * gigabyte)
        #expect(limited == 32 << 20)
        let large = AddressRanges.preferredByteCount(atLeast: gigabyte, limit: 2 * gigabyte)
        #expect(large >= gigabyte + gigabyte / 4 && large <= 2 * gigabyte)
    }

    // MARK: Growth

    private func open(_ kind: FileKind, _ path: String) throws -> Connection {
        var options = kind.options
        options.smallestReservation = 1 << 20
        return try Connection(Database.open(path: path, options: options))
    }

    /// A reader's pointers stay valid while the file outgrows its address space several times, and
    /// the space is released when the reader moves on.
    @Test(arguments: FileKind.allCases)
    func aReaderKeepsItsPagesWhileTheFileOutgrowsItsAddressSpace(kind: FileKind) throws {
        let path = try makeFile(kind)
        let reader = try open(kind, path)
        _ = try reader.refresh()
        let table = try #require(try reader.table(named: "Item"))
        weak let pages = reader.pager.pages
        let base = try #require(pages).base
        // One value is read before the file grows, and one after.
        let keys = try table.allKeys()
        let early = try value(of: keys[3], in: table)
        let writer = try Connection(reader.database)
        for step in 1...12 {
            try writer.beginWrite()
            let written = try #require(try writer.table(named: "Item"))
            let bytes = [UInt8](repeating: UInt8(step), count: 900_000)
            try bytes.withUnsafeBytes { bytes in
                try [Scalar.bytes(bytes)].withUnsafeBufferPointer { _ = try written.insert($0) }
            }
            if step == 6 { for key in keys { try written.delete(key) } }
            try writer.commit()
            #expect(early.allSatisfy { $0 == 7 })
        }
        let file = reader.database.file
        #expect(try #require(file.pages).stamp >= 2)
        #expect(reader.pager.pages?.base == base)
        #expect(early.count == 10_000 && early.allSatisfy { $0 == 7 })
        let late = try value(of: keys[40], in: table)
        #expect(late.count == 10_000 && late.allSatisfy { $0 == 7 })
        #expect(try writer.verify() == [])
        // The memory of all ranges is counted until the last reader has left.
        let inUse = file.pages!.installing.withLock { $0.byteCount }
        if kind == .encrypted { #expect(file.decryptedMemory.usedBytes > inUse) }
        _ = try reader.refresh()
        #expect(pages == nil)
        #expect(
            file.decryptedMemory.usedBytes == file.pages!.installing.withLock { $0.byteCount })
        #expect(try reader.table(named: "Item")?.allKeys().count == 12)
        #expect(reader.pager.pages === file.pages)
    }

    private func value(of key: ObjectKey, in table: Table) throws -> UnsafeRawBufferPointer {
        guard case .bytes(let bytes) = try table.value(0, of: key) else {
            throw StorageError(.invalidArgument, path: "", message: "no bytes")
        }
        return bytes
    }

    /// Threads read and write at the same time, and shrinking unmaps pages.
    @Test(arguments: FileKind.allCases)
    func threadsReadWhileTheFileGrowsAndShrinks(kind: FileKind) throws {
        let path = try makeFile(kind)
        let writer = try open(kind, path)
        let database = writer.database
        let threads = (0..<3).map { _ in
            BackgroundThread { isStopped in
                let connection = try Connection(database)
                while !isStopped() {
                    _ = try connection.refresh()
                    guard let table = try connection.table(named: "Item") else { continue }
                    for key in try table.allKeys() {
                        guard case .bytes(let bytes) = try table.value(0, of: key),
                            let first = bytes.first, bytes.allSatisfy({ $0 == first })
                        else { throw StorageError(.damaged, path: path, message: "torn") }
                    }
                }
            }
        }
        for step in 1...60 {
            try writer.beginWrite()
            let table = try #require(try writer.table(named: "Item"))
            if step % 20 == 0 {
                for key in try table.allKeys() { try table.delete(key) }
            } else {
                // 19 of these values exceed the first range, whatever the readers hold.
                let bytes = [UInt8](repeating: UInt8(step), count: 400_000)
                try bytes.withUnsafeBytes { bytes in
                    try [Scalar.bytes(bytes)].withUnsafeBufferPointer {
                        _ = try table.insert($0)
                    }
                }
            }
            try writer.commit()
        }
        for thread in threads { try thread.finish() }
        #expect(try #require(database.file.pages).stamp >= 2)
        #expect(try writer.verify() == [])
    }

    // MARK: Errors

    @Test(arguments: [(SystemCall.open, EMFILE, "ulimit -n"), (.open, ENFILE, "fs.file-max")])
    func anErrorSaysWhatIsUsedUp(call: SystemCall, number: Int32, reason: String) throws {
        let path = try makeFile(.plain)
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        interceptor.setFaults([SystemCallFault(.fail(errno: number), call: call, ordinal: 1)])
        let error = #expect(throws: StorageError.self) { try Database.open(path: path) }
        #expect(error?.systemError == number)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func aProcessThatMayMapNoMoreIsToldWhichLimitItIs() {
        let failure = SystemFailure(call: .mmap, errno: ENOMEM)
        let error = StorageError(failure, .map, path: "/x")
        #expect(error.code == .addressSpaceExhausted)
        #expect(System.mappingCount ?? 0 > 10)
        #expect(System.mappingLimit ?? 0 > 1000)
        #expect(System.addressSpaceInUse ?? 0 > 1 << 20)
        #expect(System.descriptorLimit.map { $0 > 10 } ?? true)
    }
}
