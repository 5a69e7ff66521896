import Foundation
import Testing

@testable import StorageEngine

@Suite struct SystemTests {
    private func contents(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test func faultTextIsParsed() {
        #expect(SystemCallFault(parsing: "kill-before:17") == .init(.killBefore, ordinal: 17))
        #expect(
            SystemCallFault(parsing: "kill-after:pwrite:3")
                == .init(.killAfter, call: .pwrite, ordinal: 3))
        #expect(
            SystemCallFault(parsing: "fail:fdatasync:3:EIO")
                == .init(.fail(errno: EIO), call: .fdatasync, ordinal: 3))
        #expect(
            SystemCallFault(parsing: "fail-forever:pwrite:5:ENOSPC")
                == .init(.failForever(errno: ENOSPC), call: .pwrite, ordinal: 5))
        #expect(
            SystemCallFault(parsing: "short:pwrite:2")
                == .init(.short, call: .pwrite, ordinal: 2))
        #expect(
            SystemCallFault(parsing: "slow:fdatasync:1")
                == .init(.slow, call: .fdatasync, ordinal: 1))
        #expect(
            SystemCallFault(parsing: "kill-before:futex_wake:3")
                == .init(.killBefore, call: .wake, ordinal: 3))
        #expect(SystemCallFault.list(parsing: "kill-before:1,short:pwritev:2")?.count == 2)
    }

    @Test(arguments: [
        "", "kill-before", "kill-before:0", "kill-before:x", "fail:pwrite:1", "fail:pwrite:1:EWHAT",
        "short:open:1", "short:1", "nothing:pwrite:1", "kill-after:pwrite:1:EIO", "fail:x:1:EIO",
        "kill-before:a:pwrite:1",
    ])
    func wrongFaultTextIsRefused(text: String) {
        #expect(SystemCallFault(parsing: text) == nil)
    }

    @Test func processesHaveTheNameOfTheirProgram() throws {
        let own = try #require(System.processName(System.processID))
        // The kernel's own record ends after 15 bytes.
        #expect(own.utf8.count > 15)
        #expect(CommandLine.arguments[0].hasSuffix("/" + own))
    }

    /// The process no longer has arguments, but the kernel still keeps its short name.
    @Test func aProcessThatHasEndedHasItsShortName() throws {
        let argument = try #require(strdup("true"))
        defer { free(argument) }
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/bin/true", nil, nil, [argument, nil], nil) == 0)
        var information = siginfo_t()
        try #require(waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == 0)
        #expect(System.processName(UInt32(child)) == "true")
        try #require(waitpid(child, nil, 0) == child)
        #expect(System.processName(UInt32(child)) == nil)
    }

    @Test func failureOfTheNthCallHappensOnce() throws {
        let directory = try CoordinationTestDirectory()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [.init(.fail(errno: EIO), call: .fdatasync, ordinal: 2)])
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        try System.syncData(file)
        #expect(throws: SystemFailure(call: .fdatasync, errno: EIO)) {
            try System.syncData(file)
        }
        try System.syncData(file)
        #expect(interceptor.count(of: .fdatasync) == 3)
    }

    @Test func failureForEverGoesOn() throws {
        let directory = try CoordinationTestDirectory()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [.init(.failForever(errno: ENOSPC), call: .pwrite, ordinal: 2)])
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        let write = { try [UInt8(1)].withUnsafeBytes { try System.write(file, $0, at: 0) } }
        try write()
        for _ in 0..<3 {
            #expect(throws: SystemFailure(call: .pwrite, errno: ENOSPC)) { try write() }
        }
        interceptor.setFaults([])
        try write()
    }

    @Test func slowCallsAreMadeLater() throws {
        let directory = try CoordinationTestDirectory()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [.init(.slow, call: .fdatasync, ordinal: 2)], recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        let start = System.monotonicNanoseconds
        for _ in 0..<3 { try System.syncData(file) }
        #expect(System.monotonicNanoseconds - start >= 4_000_000)
        #expect(interceptor.traceCount == 3)
    }

    @Test(arguments: [SystemCall.open, .fstat, .pread, .ftruncate, .fallocate, .lock, .fsync])
    func everyKindOfCallCanFailAndIsRepeatedAfterInterruption(call: SystemCall) throws {
        let directory = try CoordinationTestDirectory()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        func useAll() throws {
            let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
            defer { System.close(file) }
            _ = try System.status(file)
            try System.truncate(file, to: 100)
            try System.allocate(file, offset: 0, length: 8192)
            var byte: UInt8 = 0
            try withUnsafeMutableBytes(of: &byte) { buffer in
                _ = try System.read(file, into: buffer, at: 0)
            }
            try System.lock(file, .exclusive, on: .wholeFile)
            try System.syncDirectory(directory.path)
        }
        interceptor.setFaults([.init(.fail(errno: EINTR), call: call, ordinal: 1)])
        try useAll()
        interceptor.setFaults([.init(.fail(errno: EIO), call: call, ordinal: 1)])
        #expect(throws: SystemFailure(call: call, errno: EIO)) { try useAll() }
    }

    @Test func shortAndInterruptedWritesAreContinued() throws {
        let directory = try CoordinationTestDirectory()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [
                .init(.short, call: .pwrite, ordinal: 1),
                .init(.fail(errno: EINTR), call: .pwrite, ordinal: 2),
            ])
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        try bytes.withUnsafeBytes { try System.write(file, $0, at: 10) }
        #expect(interceptor.count(of: .pwrite) == 3)
        #expect(try contents(directory.file("a")) == [UInt8](repeating: 0, count: 10) + bytes)
    }

    /// There are more buffers than one call accepts, of all sizes, with a short write at every
    /// position.
    @Test func vectoredWritesAreCompleteWhateverIsShort() throws {
        let directory = try CoordinationTestDirectory()
        var random = SystemRandomNumberGenerator()
        for count in [1, 2, 5, 1024, 1025, 2500] {
            let pieces = (0..<count).map { _ in
                (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8.random(in: 0...255) }
            }
            let bytes = pieces.flatMap { $0 }
            for short in 1...4 {
                let name = directory.file("\(count)-\(short)")
                let interceptor = SystemInterceptor(
                    scope: .files(pathPrefix: name),
                    faults: [.init(.short, call: .pwritev, ordinal: short)])
                interceptor.install()
                defer { interceptor.uninstall() }
                let file = try System.open(name, flags: O_RDWR | O_CREAT)
                defer { System.close(file) }
                try bytes.withUnsafeBytes { all in
                    var start = 0
                    let vectors = pieces.map { piece in
                        defer { start += piece.count }
                        return iovec(
                            iov_base: UnsafeMutableRawPointer(
                                mutating: all.baseAddress.map { $0 + start }),
                            iov_len: piece.count)
                    }
                    try vectors.withUnsafeBufferPointer { try System.write(file, $0, at: 0) }
                }
                #expect(try contents(name) == bytes)
            }
        }
    }

    @Test func traceRebuildsTheFile() throws {
        let directory = try CoordinationTestDirectory()
        let name = directory.file("a")
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [.init(.short, call: .pwrite, ordinal: 1)], recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let file = try System.open(name, flags: O_RDWR | O_CREAT)
        try (0..<100).map { UInt8($0) }.withUnsafeBytes { try System.write(file, $0, at: 0) }
        try System.syncData(file)
        try System.truncate(file, to: 60)
        try System.allocate(file, offset: 0, length: 200)
        System.close(file)
        try System.rename(name, to: directory.file("b"))
        try System.syncDirectory(directory.path)

        var image: [UInt8] = []
        var others: [SystemTraceEvent.Change] = []
        for event in interceptor.trace {
            switch event.change {
            case .write(let offset, let bytes):
                let end = Int(offset) + bytes.count
                if image.count < end { image += Array(repeating: 0, count: end - image.count) }
                image.replaceSubrange(Int(offset)..<end, with: bytes)
                #expect(event.path == name)
            case .truncate(let size):
                image = Array((image + Array(repeating: 0, count: Int(size))).prefix(Int(size)))
            case .allocate(let offset, let length, .extend):
                let end = Int(offset + length)
                if image.count < end { image += Array(repeating: 0, count: end - image.count) }
            default: others.append(event.change)
            }
        }
        #expect(try contents(directory.file("b")) == image)
        #expect(others == [.sync, .rename(newPath: directory.file("b")), .syncDirectory])
    }

    @Test(arguments: [("kill-before:4", 3), ("kill-after:4", 4), ("kill-after:pwrite:10", 10)])
    func processIsKilledAtTheChosenCall(fault: String, written: Int) throws {
        let directory = try CoordinationTestDirectory()
        let name = directory.file("a")
        let child = try CoordinationTestProcess("write-with-faults", name, fault)
        #expect(child.waitForSignal() == SIGKILL)
        #expect(try contents(name).count == written)
    }

    @Test func countersCountWritesAndSyncs() throws {
        let directory = try CoordinationTestDirectory()
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        let before = SystemCounters.current
        try [1, 2, 3].withUnsafeBytes { try System.write(file, $0, at: 0) }
        try System.syncData(file)
        // Other tests may run at the same time.
        let difference = SystemCounters.current - before
        #expect(difference.syncs >= 1)
        #expect(difference.writeCalls >= 1)
        #expect(difference.bytesWritten >= 24)
    }

    @Test func locksOfTwoDescriptionsExcludeEachOther() throws {
        let directory = try CoordinationTestDirectory()
        let first = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        let second = try System.open(directory.file("a"), flags: O_RDWR)
        let range = System.LockRange(start: 5, length: 1)
        #expect(try System.tryLock(first, .exclusive, on: range))
        #expect(try !System.tryLock(second, .shared, on: range))
        #expect(try System.isLockedByOther(second, range))
        #expect(try !System.isLockedByOther(first, range))
        System.close(first)
        #expect(try System.tryLock(second, .shared, on: range))
        System.close(second)
    }

    @Test func errorsOfPathsAreExplained() throws {
        let directory = try CoordinationTestDirectory()
        let plain = directory.file("plain")
        System.close(try System.open(plain, flags: O_RDWR | O_CREAT))
        func error(_ path: String, _ errno: Int32) -> StorageError {
            StorageError(SystemFailure(call: .open, errno: errno), .open, path: path)
        }
        let below = error(plain + "/p.lock", ENOTDIR)
        #expect(
            below.message
                == "Failed to open file at path '\(plain)/p.lock': "
                + "parent path is not a directory")
        #expect(below.systemError == ENOTDIR)
        #expect(error(directory.file("x"), ENOENT).code == .fileNotFound)
        #expect(
            error(directory.file("x/y"), ENOENT).message
                .hasSuffix("parent directory does not exist"))
        #expect(error(plain, EACCES).code == .permissionDenied)
        #expect(error(plain, ENOSPC).code == .outOfDiskSpace)
        #expect(
            StorageError(SystemFailure(call: .fdatasync, errno: ENOSPC), .sync, path: plain).code
                == .outcomeUnknown)
        #expect(StorageError.directory(of: "p") == ".")
        #expect(StorageError.directory(of: "/p") == "/")
        #expect(StorageError.directory(of: "a/p") == "a")
    }

    @Test func memoryIsReservedThenMapped() throws {
        let directory = try CoordinationTestDirectory()
        let file = try System.open(directory.file("a"), flags: O_RDWR | O_CREAT)
        defer { System.close(file) }
        try System.allocate(file, offset: 0, length: 8192)
        try [UInt8(42)].withUnsafeBytes { try System.write(file, $0, at: 4096) }
        let base = try System.reserve(length: 1 << 30)
        try System.mapFile(file, offset: 0, length: 8192, at: base)
        #expect(base.load(fromByteOffset: 4096, as: UInt8.self) == 42)
        try System.unmap(base, length: 1 << 30)
    }
}
