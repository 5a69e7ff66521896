import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// The growth of the shared memory with the number of its users.
@Suite(.serialized) struct SharedRegionTests {
    private func sizeOfLockFile(_ path: String) throws -> Int {
        Int(try System.status(path: path + ".lock").size)
    }

    @Test func slotsLieApartAndWithinTheirBlocks() {
        let base = UnsafeMutableRawPointer(bitPattern: 1 << 32)!
        let region = SharedRegion(base: base)
        // The bytes of each slot, and the number of blocks that it needs.
        var places = [(start: 0, end: 4096, blocks: 1)]
        for blocks in 1...SharedRegion.mostBlocks {
            let first = blocks == 1 ? 0 : SharedRegion.processSlots(inBlocks: blocks - 1)
            for index in first..<SharedRegion.processSlots(inBlocks: blocks) {
                let start = region.processSlot(index).base - base
                places.append((start, start + 64, blocks))
            }
            #expect(SharedRegion.blocks(toHoldProcessSlot: first) == blocks)
        }
        for blocks in 1...SharedRegion.mostBlocks {
            let first = blocks == 1 ? 0 : SharedRegion.pinSlots(inBlocks: blocks - 1)
            for index in first..<SharedRegion.pinSlots(inBlocks: blocks) {
                let start = region.pinSlot(index).base - base
                places.append((start, start + 32, blocks))
            }
        }
        #expect(places.allSatisfy { $0.start / SharedRegion.blockSize + 1 == $0.blocks })
        #expect(places.allSatisfy { ($0.end - 1) / SharedRegion.blockSize + 1 == $0.blocks })
        places.sort { $0.start < $1.start }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0.end <= $1.start })
        #expect(places.count == 1 + 1024 + 14_208)
    }

    @Test func theFileGrowsWithTheConnections() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let file = try CoordinationTestFile(path)
        let other = try CoordinationTestFile(path)
        #expect(try sizeOfLockFile(path) == 32 << 10)
        var readers: [ReaderSlot] = []
        for _ in 0..<SharedRegion.pinSlots(inBlocks: 1) {
            readers.append(try file.coordinator.claimReader())
        }
        #expect(try sizeOfLockFile(path) == 32 << 10)
        readers.append(try file.coordinator.claimReader())
        #expect(try sizeOfLockFile(path) == 64 << 10)
        // The user that was there before sees it.
        #expect(readers.last!.pinLatest() == 1)
        #expect(other.coordinator.pinnedVersions().map(\.version) == [1])
        for reader in readers { reader.release() }
        #expect(other.coordinator.pinnedVersions() == [])
        try other.close()
        try file.close()
        // A later user finds the number of blocks.
        let next = try CoordinationTestFile(path)
        #expect(next.coordinator.region.presentBlocks == 2)
        try next.close()
    }

    @Test func aFullDiskIsAnErrorOfTheConnectionThatNeedsMore() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try CoordinationTestFile(path)
        for _ in 0..<SharedRegion.pinSlots(inBlocks: 1) { _ = try file.coordinator.claimReader() }
        interceptor.setFaults([.init(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)])
        let error = #expect(throws: StorageError.self) { try file.coordinator.claimReader() }
        #expect(error?.code == .outOfDiskSpace)
        interceptor.setFaults([])
        _ = try file.coordinator.claimReader()
        try file.close()
    }

    /// A file of the previous layout. Its last block is incomplete, and it has old contents.
    @Test func aLongerFileIsClearedToItsEnd() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let size = 4 * SharedRegion.blockSize + 12_288
        var bytes = Data(repeating: 0xFF, count: size)
        withUnsafeBytes(of: (SharedRegion.magic & ~0xFF | 5).littleEndian) {
            bytes.replaceSubrange(0..<8, with: $0)
        }
        try bytes.write(to: URL(fileURLWithPath: path + ".lock"))
        let file = try CoordinationTestFile(path)
        #expect(file.coordinator.region.presentBlocks == 5)
        #expect(try sizeOfLockFile(path) == 5 * SharedRegion.blockSize)
        #expect(file.coordinator.pinnedVersions() == [])
        for _ in 0..<SharedRegion.pinSlots(inBlocks: 5) { _ = try file.coordinator.claimReader() }
        try file.close()
    }

    @Test func whoFindsLessThanTheFileSaysIsToldSo() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let file = try CoordinationTestFile(path)
        try file.coordinator.region.grow(toBlocks: 3, lockFile: file.coordinator.lockFile)
        #expect(try sizeOfLockFile(path) == 3 * SharedRegion.blockSize)
        for blocks in [0, 1, 2] {
            #expect(truncate(path + ".lock", blocks * SharedRegion.blockSize + 4096) == 0)
            let error = #expect(throws: StorageError.self) { try CoordinationTestFile(path) }
            #expect(error?.code == .incompatibleLockFile)
            #expect(error?.message.contains("cut off") == true)
        }
        #expect(truncate(path + ".lock", 3 * SharedRegion.blockSize) == 0)
        file.coordinator.releaseFinal()
        System.close(file.descriptor)
    }

    /// This also holds if blocks are written because they cannot be allocated: no zeros may
    /// overwrite slots that others have just begun to use.
    @Test(arguments: [0, EOPNOTSUPP, ENOSYS])
    func manyUsersMakeItGrowAtATime(errno number: Int32) throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: path),
            faults: number == 0
                ? [] : [.init(.failForever(errno: number), call: .fallocate, ordinal: 1)])
        interceptor.install()
        defer { interceptor.uninstall() }
        let first = try CoordinationTestFile(path)
        let threads = (0..<8).map { _ in
            // Each user has two threads.
            BackgroundThread<[UInt64]> { _ in
                let file = try CoordinationTestFile(path)
                let coordinator = file.coordinator
                let sibling = BackgroundThread<[ReaderSlot]> { _ in
                    try (0..<120).map { _ in try Self.pin(coordinator) }
                }
                var readers = try (0..<120).map { _ in try Self.pin(coordinator) }
                readers += try sibling.wait()
                // Users that come in the meantime find the published length.
                try CoordinationTestFile(path).close()
                let versions = readers.map(\.version)
                for reader in readers { reader.release() }
                try file.close()
                return versions
            }
        }
        for thread in threads {
            #expect(try thread.wait() == [UInt64](repeating: 1, count: 240))
        }
        let blocks = first.coordinator.region.presentBlocks
        #expect(try sizeOfLockFile(path) == blocks * SharedRegion.blockSize)
        #expect(first.coordinator.pinnedVersions() == [])
        #expect(try first.close())
        var status = stat()
        #expect(stat(path + ".lock", &status) == 0)
        #expect(Int(status.st_blocks) * 512 >= blocks * SharedRegion.blockSize)
    }

    @Test func whoIsLateWithItsZerosWritesThemOverNothing() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let (late, other) = (try CoordinationTestFile(path), try CoordinationTestFile(path))
        let (lateUser, otherUser) = (late.coordinator, other.coordinator)
        for _ in 0..<SharedRegion.pinSlots(inBlocks: 1) { _ = try lateUser.claimReader() }
        interceptor.setFaults([
            .init(.failForever(errno: EOPNOTSUPP), call: .fallocate, ordinal: 1),
            .init(.hold, call: .pwrite, ordinal: 1),
        ])
        let first = BackgroundThread<ReaderSlot> { _ in try Self.pin(lateUser) }
        usleep(100_000)
        let second = BackgroundThread<ReaderSlot> { _ in try Self.pin(otherUser) }
        usleep(100_000)
        interceptor.release()
        #expect(try [first.wait(), second.wait()].map(\.version) == [1, 1])
        #expect(lateUser.pinnedVersions().map(\.version) == [1, 1])
        try late.close()
        try other.close()
    }

    private static func pin(_ coordinator: Coordinator) throws -> ReaderSlot {
        let reader = try coordinator.claimReader()
        #expect(reader.pinLatest() == 1)
        return reader
    }

    /// Pins in later blocks hold back writers as well, and are released when their process dies.
    @Test func pinsOfTheDeadAreClearedInEveryBlock() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let file = try CoordinationTestFile(path)
        let readers = try (0..<SharedRegion.pinSlots(inBlocks: 1)).map { _ in
            try file.coordinator.claimReader()
        }
        let child = try CoordinationTestProcess("hold-pin", path)
        #expect(child.nextLine() == "joined 1")
        #expect(try sizeOfLockFile(path) == 2 * SharedRegion.blockSize)
        file.coordinator.publish(version: 2, sequence: 2)
        #expect(file.coordinator.collectedPins == [1])
        child.kill()
        file.coordinator.clearDeadProcesses()
        #expect(file.coordinator.collectedPins == [])
        for reader in readers { reader.release() }
        #expect(try file.close())
    }

    @Test func aDatabaseInMemoryHasAsManyConnections() throws {
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: 1, sequence: 1)
        let count = SharedRegion.pinSlots(inBlocks: 1) + 1
        let readers = try (0..<count).map { _ in try Self.pin(coordinator) }
        #expect(coordinator.pinnedVersions().count == count)
        for reader in readers { reader.release() }
    }

    @Test func aThousandUsersHaveAFileOpen() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_max >= 4096, "too few descriptors to try it")
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let count = SharedRegion.processSlotCount
        let users = try (0..<count).map { _ in try CoordinationTestFile(path) }
        #expect(try sizeOfLockFile(path) == SharedRegion.size)
        let error = #expect(throws: StorageError.self) { try CoordinationTestFile(path) }
        #expect(error?.code == .tooManyReaders)
        #expect(error?.message.contains("1024 places for processes") == true)
        let readers = try users.map { try $0.coordinator.claimReader() }
        for reader in readers { _ = reader.pinLatest() }
        #expect(users[0].coordinator.pinnedVersions().count == count)
        #expect(Set(users.map(\.coordinator.processSlot)).count == count)
        // The last user is waited for like the first one.
        #expect(try users[count - 1].coordinator.lockForWriting() == .finished)
        users[count - 1].coordinator.unlockAfterWriting()
        for reader in readers { reader.release() }
        let lasts = try users.map { try $0.close() }
        #expect(lasts.filter { $0 }.count == 1 && lasts.last == true)
    }
}
