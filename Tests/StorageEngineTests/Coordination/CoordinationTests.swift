import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct CoordinationTests {
    private func memory(version: UInt64 = 1) throws -> Coordinator {
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: version, sequence: version)
        return coordinator
    }

    // MARK: Write lock

    @Test func writeLockPassesBetweenThreadsThatEnd() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let coordinator = file.coordinator
        _ = try BackgroundThread { _ in try coordinator.lockForWriting() }.wait()
        #expect(try coordinator.tryLockForWriting() == nil)
        coordinator.unlockAfterWriting()
        #expect(try coordinator.tryLockForWriting() == .finished)
        coordinator.unlockAfterWriting()
        #expect(try file.close())
    }

    @Test func poisonedFileRefusesWritersUntilAllHaveClosedIt() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestFile(directory.file("a"))
        let second = try CoordinationTestFile(directory.file("a"))
        first.coordinator.poison()
        #expect(second.coordinator.isPoisoned)
        for _ in 0..<2 {
            do {
                _ = try second.coordinator.lockForWriting()
                Issue.record("a poisoned file was locked for writing")
            } catch {
                #expect(error.code == .outcomeUnknown)
            }
        }
        try first.close()
        try second.close()
        let third = try CoordinationTestFile(directory.file("a"))
        #expect(try third.coordinator.lockForWriting() == .finished)
        third.coordinator.unlockAfterWriting()
        try third.close()
    }

    @Test func readOnlyUserCannotWrite() throws {
        let directory = try CoordinationTestDirectory()
        let writer = try CoordinationTestFile(directory.file("a"))
        let reader = try CoordinationTestFile(directory.file("a"), readOnly: true)
        #expect(reader.role == .joined)
        do {
            _ = try reader.coordinator.lockForWriting()
            Issue.record("a reader locked for writing")
        } catch {
            #expect(error.code == .readOnly)
        }
        #expect(try !reader.close())
        #expect(try writer.close())
    }

    // MARK: Versions and pins

    @Test func pinsOfAllReadersAreCollectedInOrderAndOnce() throws {
        let coordinator = try memory()
        #expect(coordinator.collectedPins == [])
        let first = try coordinator.claimReader()
        let second = try coordinator.claimReader()
        let third = try coordinator.claimReader()
        #expect(first.pinLatest() == 1)
        coordinator.publish(version: 2, sequence: 2)
        #expect(second.pinLatest() == 2)
        coordinator.publish(version: 3, sequence: 3)
        #expect(coordinator.collectedPins == [1, 2])
        #expect(third.pin(sameAs: second) == 2)
        #expect(coordinator.collectedPins == [1, 2])
        first.unpin()
        second.unpin()
        #expect(coordinator.collectedPins == [2])
        let pins = coordinator.pinnedVersions()
        #expect(pins.map(\.version) == [2])
        #expect(pins[0].processID == UInt32(getpid()))
        #expect(pins[0].age < .seconds(60))
        #expect(third.pinLatest() == 3)
        #expect(first.pin(sameAs: third) == 3)
        #expect(second.pin(sameAs: third) == 3)
        coordinator.publish(version: 4, sequence: 4)
        #expect(first.pinLatest() == 4)
        #expect(coordinator.collectedPins == [3, 4])
        for reader in [first, second, third] { reader.release() }
        #expect(coordinator.collectedPins == [])
        _ = try coordinator.close()
    }

    /// The pin is copied back and forth between two slots, and one of them always holds it.
    @Test func aPinThatIsCopiedWhilePinsAreCollectedIsNeverMissed() throws {
        let coordinator = try memory()
        let readers = [try coordinator.claimReader(), try coordinator.claimReader()]
        #expect(readers[0].pinLatest() == 1)
        coordinator.publish(version: 2, sequence: 2)
        let copying = BackgroundThread { isStopped in
            var turn = 0
            while !isStopped() {
                _ = readers[1 - turn].pin(sameAs: readers[turn])
                readers[turn].unpin()
                turn = 1 - turn
                // The pause is long, because pins are copied rarely in practice, and every copy
                // makes the collecting thread scan again.
                usleep(10)
            }
        }
        var missed = 0
        for _ in 0..<20_000 where coordinator.collectedPins != [1] { missed += 1 }
        try copying.finish()
        #expect(missed == 0)
        for reader in readers { reader.release() }
    }

    @Test func theVersionThatAPinLeavesStaysPinnedUntilTheMoveEnds() throws {
        let coordinator = try memory()
        let reader = try coordinator.claimReader()
        #expect(reader.pinLatest() == 1)
        coordinator.publish(version: 2, sequence: 2)
        reader.keepFormer()
        var whileMoving: [[UInt64]] = []
        let pinned = reader.pinLatest(betweenLoadAndStore: {
            whileMoving.append(coordinator.collectedPins)
            if whileMoving.count == 1 { coordinator.publish(version: 3, sequence: 3) }
        })
        #expect(pinned == 3)
        #expect(whileMoving == [[1], [1, 2]])
        #expect(coordinator.collectedPins == [1, 3])
        reader.forgetFormer()
        #expect(coordinator.collectedPins == [3])

        coordinator.publish(version: 4, sequence: 4)
        reader.keepFormer()
        #expect(reader.pinLatest() == 4)
        reader.moveBack()
        #expect(reader.version == 3)
        #expect(coordinator.collectedPins == [3])

        reader.keepFormer()
        #expect(reader.pinLatest() == 4)
        reader.unpin()
        #expect(coordinator.collectedPins == [])
        reader.release()
    }

    /// The pin moves to the newest version and back, and one of its two words always holds the
    /// older one.
    @Test func aPinThatMovesBackWhilePinsAreCollectedIsNeverMissed() throws {
        let coordinator = try memory()
        let reader = try coordinator.claimReader()
        #expect(reader.pinLatest() == 1)
        coordinator.publish(version: 2, sequence: 2)
        let moving = BackgroundThread { isStopped in
            while !isStopped() {
                reader.keepFormer()
                _ = reader.pinLatest()
                reader.moveBack()
                // As long as in the test above.
                usleep(10)
            }
        }
        var missed = 0
        for _ in 0..<20_000 where coordinator.collectedPins.first != 1 { missed += 1 }
        try moving.finish()
        #expect(missed == 0)
        reader.release()
    }

    /// The reader is paused between reading the newest version and storing its pin, while the
    /// writer publishes three versions and reuses everything that no reader seems to need.
    @Test func pinIsNeverOnAVersionThatWasReclaimedMeanwhile() throws {
        let coordinator = try memory()
        let reader = try coordinator.claimReader()
        var reclaimedBelow: UInt64 = 0
        var stops = 0
        let pinned = reader.pinLatest(betweenLoadAndStore: {
            stops += 1
            guard stops == 1 else { return }
            for version in UInt64(2)...4 {
                coordinator.publish(version: version, sequence: version)
                reclaimedBelow = coordinator.collectedPins.first ?? coordinator.visibleVersion
            }
        })
        #expect(reclaimedBelow == 4)
        #expect(pinned >= reclaimedBelow)
        #expect(reader.version == pinned)
        #expect(stops == 2)
        reader.release()
    }

    @Test func pinsOfRacingReadersAreAlwaysRespected() throws {
        let coordinator = try memory()
        let reclaimed = UnsafeMutablePointer<UInt64>.allocate(capacity: 2)
        reclaimed.initialize(repeating: 0, count: 2)
        defer { reclaimed.deallocate() }
        nonisolated(unsafe) let words = reclaimed
        let readers = try (0..<3).map { _ in
            let reader = try coordinator.claimReader()
            return BackgroundThread { _ in
                var found: [String] = []
                var last: UInt64 = 0
                while (words + 1).loadAcquire() == 0 {
                    let version = reader.pinLatest()
                    let below = words.loadSequential()
                    if version < below || version < last {
                        found.append("\(version) \(below) \(last)")
                    }
                    last = version
                    if version % 3 == 0 { reader.unpin() }
                }
                reader.release()
                return found
            }
        }
        for version in UInt64(2)...20_000 {
            coordinator.publish(version: version, sequence: version)
            words.storeSequential(coordinator.collectedPins.first ?? version)
        }
        (words + 1).storeRelease(1)
        for reader in readers { #expect(try reader.wait() == []) }
    }

    @Test func readersAreLimitedAndSlotsAreReused() throws {
        let coordinator = try memory()
        var readers: [ReaderSlot] = []
        for _ in 0..<SharedRegion.pinSlotCount { readers.append(try coordinator.claimReader()) }
        do {
            _ = try coordinator.claimReader()
            Issue.record("more readers than slots")
        } catch {
            #expect(error.code == .tooManyReaders)
        }
        readers.removeLast().release()
        readers.append(try coordinator.claimReader())
        for reader in readers { reader.release() }
    }

    @Test func waitingForAVersionEndsWithItOrWithTheTime() throws {
        let coordinator = try memory()
        #expect(coordinator.waitForVersion(newerThan: 1, timeout: .milliseconds(20)) == 1)
        let publisher = BackgroundThread<Void> { _ in
            usleep(20_000)
            coordinator.publish(version: 2, sequence: 2)
        }
        #expect(coordinator.waitForVersion(newerThan: 1, timeout: .seconds(20)) == 2)
        try publisher.wait()
        #expect(coordinator.durableVersion == 2)
    }

    // MARK: Opening

    @Test func firstOpensAloneOthersJoinAndTheLastIsTold() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestFile(directory.file("a"), version: 5)
        #expect(first.role == .soleOpener)
        let second = try CoordinationTestFile(directory.file("a"))
        #expect(second.role == .joined)
        #expect(second.coordinator.visibleVersion == 5)
        #expect(second.coordinator.isShared)
        #expect(try !first.close())
        #expect(try second.close())
        let third = try CoordinationTestFile(directory.file("a"))
        #expect(third.role == .soleOpener)
        #expect(try third.close())
    }

    @Test func readersAloneOpenAndWritersJoinThem() throws {
        let directory = try CoordinationTestDirectory()
        System.close(try System.open(directory.file("a"), flags: O_RDWR | O_CREAT))
        let reader = try CoordinationTestFile(directory.file("a"), readOnly: true, version: 3)
        #expect(reader.role == .soleOpener)
        let writer = try CoordinationTestFile(directory.file("a"))
        #expect(writer.role == .joined)
        #expect(writer.coordinator.visibleVersion == 3)
        #expect(try !reader.close())
        #expect(try writer.close())
    }

    /// A killed process or power loss may leave nothing, zeros, or anything after the magic number
    /// of any layout.
    @Test func whateverIsLeftInTheLockFileIsClearedByTheSoleOpener() throws {
        let directory = try CoordinationTestDirectory()
        for layout in [nil, SharedRegion.magic, SharedRegion.magic ^ 7] {
            for size in [0, 1, 8, 4096, 200_000] {
                var bytes = Data(count: size)
                if let layout, size >= 8 {
                    bytes = Data((0..<size).map { _ in UInt8.random(in: 0...255) })
                    withUnsafeBytes(of: layout) { bytes.replaceSubrange(0..<8, with: $0) }
                }
                try bytes.write(to: URL(fileURLWithPath: directory.file("a.lock")))
                let file = try CoordinationTestFile(directory.file("a"))
                #expect(file.role == .soleOpener)
                #expect(!file.coordinator.isPoisoned)
                #expect(file.coordinator.pinnedVersions() == [])
                #expect(try file.coordinator.lockForWriting() == .finished)
                file.coordinator.unlockAfterWriting()
                #expect(try file.close())
            }
        }
    }

    @Test func removedLockFileIsReportedWhileTheFileIsInUse() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestFile(directory.file("a"))
        try System.unlink(directory.file("a.lock"))
        do {
            _ = try CoordinationTestFile(directory.file("a"))
            Issue.record("joined without the shared memory")
        } catch let error as StorageError {
            #expect(error.code == .incompatibleLockFile)
            #expect(error.message.contains("removed"))
        }
        try first.close()
        #expect(try CoordinationTestFile(directory.file("a")).close())
    }

    @Test func anotherLayoutIsReportedWhileTheFileIsInUse() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestFile(directory.file("a"))
        first.coordinator.region.magic.storeRelease(SharedRegion.magic ^ 7)
        do {
            _ = try CoordinationTestFile(directory.file("a"))
            Issue.record("joined with another layout")
        } catch let error as StorageError {
            #expect(error.code == .incompatibleLockFile)
            #expect(error.message.contains("layout"))
        }
        try first.close()
    }

    @Test func lockFileOfAReplacedDataFileIsReported() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestFile(directory.file("a"))
        try System.unlink(directory.file("a"))
        do {
            _ = try CoordinationTestFile(directory.file("a"))
            Issue.record("cleared the shared memory of another file in use")
        } catch let error as StorageError {
            #expect(error.code == .incompatibleLockFile)
        }
        try first.close()
    }

    @Test func readerWithoutRightToALockFilePinsItsVersionAndKeepsNobodyOut() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        System.close(try System.open(path, flags: O_RDWR | O_CREAT))
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: path + ".lock"),
            faults: [.init(.failForever(errno: EROFS), call: .open, ordinal: 1)])
        interceptor.install()
        let reader = try CoordinationTestFile(path, readOnly: true)
        #expect(reader.role == .soleOpener)
        #expect(!reader.coordinator.isShared)
        let other = try CoordinationTestFile(path, readOnly: true)
        #expect(!other.coordinator.isShared)
        let newer = try CoordinationTestFile(path, readOnly: true, version: 3)
        let slot = try reader.coordinator.claimReader()
        #expect(slot.pinLatest() == 1)
        slot.release()
        interceptor.uninstall()
        do {
            let writer = try CoordinationTestFile(path, version: 4)
            #expect(writer.role == .soleOpener)
            #expect(writer.coordinator.collectedPins == [1, 3])
            #expect(writer.coordinator.pinnedVersions().map(\.processID) == [0, 0])
            try reader.close()
            writer.coordinator.publish(version: 5, sequence: 5)
            usleep(60_000)
            #expect(writer.coordinator.collectedPins == [1, 3])
            try other.close()
            usleep(60_000)
            #expect(writer.coordinator.collectedPins == [3])
            interceptor.install()
            defer { interceptor.uninstall() }
            do {
                _ = try CoordinationTestFile(path, readOnly: true)
                Issue.record("a reader that shares nothing came in beside a writer")
            } catch let error as StorageError {
                #expect(error.code == .permissionDenied)
            }
            #expect(try writer.close())
        }
        // The pin is a lock: it outlives writers and their memory.
        let next = try CoordinationTestFile(path, version: 6)
        #expect(next.coordinator.collectedPins == [3])
        #expect(try !newer.close())
        #expect(try next.close())
        #expect(try CoordinationTestFile(path, version: 7).close())
    }

    @Test func locksOfReadersAreNoPinsUnlessTheyAreOnAVersionThatThereIs() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        System.close(try System.open(path, flags: O_RDWR | O_CREAT))
        let stranger = try System.open(path, flags: O_RDONLY)
        defer { System.close(stranger) }
        for version in UInt64(1)...300 {
            // Every other version is locked, so that there are many separate locks.
            try System.lock(stranger, .shared, on: LockRanges.reading(version * 2))
        }
        try System.lock(
            stranger, .shared,
            on: System.LockRange(start: LockRanges.reading.start + 1001, length: 77))
        let file = try CoordinationTestFile(path, version: 9)
        #expect(file.coordinator.collectedPins.allSatisfy { [2, 4, 6, 8].contains($0) })
        #expect(try file.coordinator.lockForWriting() == .finished)
        file.coordinator.unlockAfterWriting()
        #expect(try file.close())
        let later = try CoordinationTestFile(path, version: 10_000)
        #expect((1...64).contains(later.coordinator.collectedPins.count))
        #expect(try later.close())
    }

    @Test func failingToMakeTheLockFileIsExplained() throws {
        let directory = try CoordinationTestDirectory()
        for (number, call, code) in [
            (ENOSPC, SystemCall.fallocate, StorageError.Code.outOfDiskSpace),
            (EACCES, .open, .permissionDenied), (ENOTDIR, .open, .fileAccess),
            (EIO, .lock, .fileAccess),
        ] {
            let interceptor = SystemInterceptor(
                scope: .files(pathPrefix: directory.file("a.lock")),
                faults: [.init(.fail(errno: number), call: call, ordinal: 1)])
            interceptor.install()
            defer { interceptor.uninstall() }
            do {
                _ = try CoordinationTestFile(directory.file("a"))
                Issue.record("opened in spite of \(number)")
            } catch let error as StorageError {
                #expect(error.code == code)
                #expect(error.path == directory.file("a"))
                #expect(error.message.contains("a'") || error.message.contains("a.lock'"))
            }
        }
        #expect(try CoordinationTestFile(directory.file("a")).close())
    }
}
