import Foundation
import Glibc
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Opening a file that is compacted first if possible. It is opened in any case.
@Suite struct LaunchTests {
    private let directory: CrashDirectory
    private let path: String

    init() throws {
        directory = try CrashDirectory()
        path = directory.file("data")
    }

    private func prepare(_ path: String) throws -> UInt64 {
        let connection = try Connection(Database.open(path: path))
        try ShrinkWorkload.prepare(connection, items: 300)
        try ShrinkWorkload.deleteMost(connection)
        return try DatabaseDigest.of(connection)
    }

    private func launch(_ path: String) throws -> UInt64 {
        try DatabaseDigest.of(Connection(Database.open(path: path, compactingIf: { _, _ in true })))
    }

    private func size(_ path: String) throws -> UInt64 { try System.status(path: path).size }

    private func withFaults<Result>(
        _ faults: [SystemCallFault], _ body: () throws -> Result
    ) rethrows -> Result {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: path + ".management"), faults: faults)
        interceptor.install()
        defer { interceptor.uninstall() }
        return try body()
    }

    @Test func aLaunchCompactsWhatNobodyHasOpen() throws {
        let digest = try prepare(path)
        let before = try size(path)
        #expect(try launch(path) == digest)
        #expect(try size(path) < before)
    }

    /// Each process compacts the file that the others are about to open.
    @Test func processesThatLaunchAtOnceAllCome() throws {
        let digest = try prepare(path)
        let children = try (0..<3).map { _ in
            try CoordinationTestProcess("launch", path, "\(digest)", "25")
        }
        for child in children { try child.proceed() }
        for child in children { #expect(child.nextLine() == "25 launches") }
        #expect(try launch(path) == digest)
    }

    @Test func threadsThatLaunchAtOnceAllCome() throws {
        let digest = try prepare(path)
        let path = path
        let threads = (0..<4).map { number in
            BackgroundThread { _ in
                try (0..<20).map { _ in
                    let database =
                        number == 0
                        ? try Database.openUnregistered(path: path)
                        : try Database.open(path: path, compactingIf: { _, _ in true })
                    return try DatabaseDigest.of(Connection(database))
                }
            }
        }
        for thread in threads {
            for found in try thread.wait() { #expect(found == digest) }
        }
    }

    @Test(arguments: [
        (SystemCall.mkdir, EACCES), (.chmod, EPERM), (.rename, EACCES), (.fallocate, ENOSPC),
        (.mkdir, ENAMETOOLONG), (.pwritev, EIO),
    ])
    func aFileThatCannotBeCompactedIsOpened(call: SystemCall, number: Int32) throws {
        let digest = try prepare(path)
        let before = try readBytes(path)
        let faults = [SystemCallFault(.failForever(errno: number), call: call, ordinal: 1)]
        #expect(try withFaults(faults) { try launch(path) } == digest)
        #expect(try size(path) == UInt64(before.count))
    }

    @Test func somethingElseInThePlaceOfTheDirectoryForCopiesKeepsNobodyOut() throws {
        let digest = try prepare(path)
        let management = path + ".management"
        try Data([1]).write(to: URL(fileURLWithPath: management))
        #expect(try launch(path) == digest)
        #expect(try readBytes(management) == [1])
    }

    @Test(arguments: [228, 244, 245, 250])
    func longNamesLeaveRoomForCompactingAndCopying(length: Int) throws {
        let path = directory.file(String(repeating: "n", count: length))
        let copy = directory.file(String(repeating: "c", count: length))
        let digest = try prepare(path)
        let before = try size(path)
        #expect(try launch(path) == digest)
        #expect(try size(path) < before)
        do { try Connection(Database.open(path: path)).writeCopy(toPath: copy) }
        #expect(try launch(copy) == digest)
        #expect(try Database.remove(path: path) && Database.remove(path: copy))
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test func whatKeepsAFileFromBeingOpenedIsThrown() throws {
        _ = try prepare(path)
        let key = [UInt8](repeating: 1, count: 64)
        let error = #expect(throws: StorageError.self) {
            try Database.open(
                path: path, options: .init(encryptionKey: key), compactingIf: { _, _ in true })
        }
        #expect(error?.code == .wrongKey)
    }

    // MARK: Paths

    @Test func aLinkAndThePathOfItsTargetLeadToOneDatabase() throws {
        let digest = try prepare(path)
        let link = directory.file("link")
        try #require(mkdir(directory.file("folder"), 0o777) == 0)
        let far = directory.file("folder/link")
        try #require(symlink("data", link) == 0 && symlink(path, far) == 0)
        for (first, second) in [(path, link), (link, path), (far, link)] {
            let database = try Database.open(path: first)
            #expect(try Database.open(path: second) === database)
            // This opens the file as another process would.
            let other = try Connection(Database.openUnregistered(path: second))
            #expect(try DatabaseDigest.of(other) == digest)
        }
        #expect(!FileManager.default.fileExists(atPath: link + ".lock"))
        #expect(!FileManager.default.fileExists(atPath: far + ".lock"))
    }

    @Test func aLinkToNothingLeadsToANewFile() throws {
        let link = directory.file("link")
        try #require(symlink("data", link) == 0)
        let database = try Database.open(path: link)
        #expect(try Database.open(path: path) === database)
        let other = try Database.openUnregistered(path: path)
        withExtendedLifetime(other) {}
    }

    // MARK: Files of zeros

    @Test(arguments: [1, 8, 511, 512, 4095, 4096, 4097, 21_067, 21_069, 400_000])
    func aFileOfZerosIsNoNewFile(size: Int) throws {
        let image = [UInt8](repeating: 0, count: size)
        try Data(image).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StorageError.self) { try Database.open(path: path) }
        #expect(error?.code == .notADatabase)
        #expect(try readBytes(path) == image)
    }

    @Test(arguments: [0, Int(FileHeader.newFileSize)])
    func whatTheFirstStepOfACreationLeavesIsANewFile(size: Int) throws {
        try Data([UInt8](repeating: 0, count: size)).write(to: URL(fileURLWithPath: path))
        for options in [Database.Options(createIfMissing: false), .init(readOnly: true)] {
            let error = #expect(throws: StorageError.self) {
                try Database.open(path: path, options: options)
            }
            #expect(error?.code == .notADatabase)
        }
        _ = try prepare(path)
    }
}
