import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// System calls that fail under connections. Errors are typed, the failed transaction leaves no
/// trace, and the connection continues to work.
@Suite struct CrashFaultTests {
    private let directory: CrashDirectory
    private let states: CrashStates

    init() throws {
        directory = try CrashDirectory()
        states = try CrashStates.shared.get()
    }

    private static let steps = (CrashStates.preparedStep + 1)...(CrashStates.preparedStep + 8)
    /// The steps in which the file gets all its commit slots.
    private var extendingSteps: ClosedRange<Int> {
        states.beforeExtension.firstSteps[0]...(states.beforeExtension.firstSteps[0] + 3)
    }

    /// Runs the steps with a fault, repeating a step that fails. Returns the errors.
    private func run(
        _ fault: SystemCallFault, _ interceptor: SystemInterceptor,
        _ steps: ClosedRange<Int> = Self.steps, from image: [UInt8]? = nil
    ) throws -> [StorageError] {
        var errors: [StorageError] = []
        try directory.withImage(image ?? states.image) { path in
            interceptor.setFaults([])
            let database = try Database.open(path: path)
            let connection = try Connection(database)
            interceptor.setFaults([fault])
            for step in steps {
                do {
                    try CrashWorkload.run(step, on: connection)
                } catch let error as StorageError {
                    errors.append(error)
                    #expect(error.path == path, "\(fault)")
                    #expect(!connection.isInWriteTransaction, "\(fault)")
                    // The connection sees the state before the failed step.
                    _ = try connection.refresh()
                    #expect(
                        try CrashWorkload.digest(of: connection) == states.digests[step - 1],
                        "\(fault), step \(step): \(error)")
                    if database.coordinator.isPoisoned {
                        try checkPoisoned(connection, step, "\(fault)")
                        return
                    }
                    try CrashWorkload.run(step, on: connection)
                }
                #expect(
                    try CrashWorkload.digest(of: connection) == states.digests[step],
                    "\(fault), step \(step)")
            }
            interceptor.setFaults([])
            #expect(try connection.verify() == [], "\(fault)")
        }
        return errors
    }

    private func checkPoisoned(_ connection: Connection, _ step: Int, _ label: String) throws {
        let path = connection.database.path
        let other = try Connection(Database.openUnregistered(path: path))
        for writer in [connection, other] {
            let error = #expect(throws: StorageError.self, "\(label)") { try writer.beginWrite() }
            #expect(error?.code == .outcomeUnknown, "\(label)")
            _ = try writer.refresh()
            #expect(
                try CrashWorkload.digest(of: writer) == states.digests[step - 1], "\(label)")
        }
    }

    private func countCalls(
        _ interceptor: SystemInterceptor, _ call: SystemCall,
        _ steps: ClosedRange<Int> = Self.steps, from image: [UInt8]? = nil
    ) throws -> Int {
        try directory.withImage(image ?? states.image) { path in
            let connection = try Connection(Database.open(path: path))
            interceptor.setFaults([])
            for step in steps { try CrashWorkload.run(step, on: connection) }
            return interceptor.count(of: call)
        }
    }

    @Test(arguments: [
        (SystemCall.pwritev, EIO, StorageError.Code.fileAccess),
        (.pwritev, ENOSPC, .outOfDiskSpace),
        (.pwrite, EIO, .fileAccess),
        (.pwrite, ENOSPC, .outOfDiskSpace),
        (.fallocate, ENOSPC, .outOfDiskSpace),
        (.fallocate, EIO, .fileAccess),
        (.fdatasync, EIO, .outcomeUnknown),
        (.fdatasync, ENOSPC, .outcomeUnknown),
        (.lseek, EIO, .fileAccess),
        (.mmap, ENOMEM, .addressSpaceExhausted),
        (.pread, EIO, .fileAccess),
        (.lock, ENOLCK, .fileAccess),
    ])
    func aCallThatFailsOnceIsATypedErrorAndLeavesNoTrace(
        call: SystemCall, number: Int32, expected: StorageError.Code
    ) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let count = try countCalls(interceptor, call)
        #expect(count > 0)
        // A file that cannot grow on a full disk uses its small holes instead.
        let mayBeMadeUpFor = number == ENOSPC && (call == .fallocate || call == .pwrite)
        var failures = 0
        for ordinal in 0..<count {
            let fault = SystemCallFault(.fail(errno: number), call: call, ordinal: ordinal + 1)
            let errors = try run(fault, interceptor)
            #expect(errors.allSatisfy { $0.code == expected }, "\(fault): \(errors)")
            failures += errors.count
            // A failed unlock is not reported, nor is a file that cannot be truncated and stays
            // longer. All other failures are reported.
            let isTold = call != .lock && call != .lseek
            if isTold, !mayBeMadeUpFor { #expect(!errors.isEmpty, "\(fault)") }
        }
        // Records are written even if there are holes to fill, and sizes are read before anything
        // is written.
        if call == .pwrite || call == .lseek { #expect(failures > 0) }
    }

    @Test(arguments: [
        (SystemCall.pwritev, EIO), (.pwrite, EIO), (.pwrite, ENOSPC), (.fallocate, ENOSPC),
        (.fallocate, EIO), (.fdatasync, EIO), (.lseek, EIO), (.mmap, ENOMEM), (.pread, EIO),
    ])
    func aCallThatFailsWhileTheFileGetsItsSlotsLeavesNoTrace(
        call: SystemCall, number: Int32
    ) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let image = states.beforeExtension.images[0]
        let count = try countCalls(interceptor, call, extendingSteps, from: image)
        var failures = 0
        for ordinal in 1...max(count, 1) {
            let fault = SystemCallFault(.fail(errno: number), call: call, ordinal: ordinal)
            failures += try run(fault, interceptor, extendingSteps, from: image).count
        }
        if [.pwrite, .pwritev, .fdatasync].contains(call), number == EIO { #expect(failures > 1) }
    }

    @Test(arguments: [SystemCall.pwritev, .pwrite, .fdatasync, .fallocate, .lseek, .pread])
    func interruptedCallsAreRepeatedUnnoticed(call: SystemCall) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        for ordinal in 1...max(1, try countCalls(interceptor, call)) {
            let fault = SystemCallFault(.fail(errno: EINTR), call: call, ordinal: ordinal)
            let errors = try run(fault, interceptor)
            #expect(errors.isEmpty, "\(fault): \(errors)")
        }
    }

    @Test(arguments: [SystemCall.pwritev, .pwrite])
    func shortWritesAreContinuedUnnoticed(call: SystemCall) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        for ordinal in 1...max(1, try countCalls(interceptor, call)) {
            let fault = SystemCallFault(.short, call: call, ordinal: ordinal)
            let errors = try run(fault, interceptor)
            #expect(errors.isEmpty, "\(fault): \(errors)")
        }
    }

    /// A disk is full from some call on, and has space again later.
    @Test(arguments: [SystemCall.fallocate, .pwrite, .pwritev])
    func aFullDiskStopsWritersUntilThereIsSpace(call: SystemCall) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        try directory.withImage(states.image) { path in
            let connection = try Connection(Database.open(path: path))
            let step = CrashStates.preparedStep + 1
            for next in step..<CrashWorkload.largeStep {
                try CrashWorkload.run(next, on: connection)
            }
            interceptor.setFaults([
                SystemCallFault(.failForever(errno: ENOSPC), call: call, ordinal: 1)
            ])
            let large = CrashWorkload.largeStep
            for _ in 0..<3 {
                let error = #expect(throws: StorageError.self) {
                    try CrashWorkload.run(large, on: connection)
                }
                #expect(error?.code == .outOfDiskSpace || error?.code == .outcomeUnknown)
                #expect(try CrashWorkload.digest(of: connection) == states.digests[large - 1])
            }
            interceptor.setFaults([])
            guard !connection.database.coordinator.isPoisoned else {
                // The slot of the record could not be cleared either.
                #expect(call == .pwrite)
                return
            }
            try CrashWorkload.run(large, on: connection)
            #expect(try CrashWorkload.digest(of: connection) == states.digests[large])
            #expect(try connection.verify() == [])
        }
    }

    @Test(.enabled(if: SmallFileSystem.canMount, "mounting a file system needs root"))
    func aReallyFullDiskStopsWritersUntilThereIsSpace() throws {
        let disk = try SmallFileSystem(bytes: 4 << 20)
        let path = disk.path + "/full"
        let ballast = disk.path + "/ballast"
        try Data([UInt8](repeating: 1, count: 3 << 20)).write(to: URL(fileURLWithPath: ballast))
        let connection = try Connection(Database.open(path: path))
        var step = 0
        var failure: StorageError?
        // The large step needs 1.3 MB, and the disk has 1 MiB.
        for next in 1...CrashWorkload.lastStep where failure == nil {
            do {
                try CrashWorkload.run(next, on: connection)
                step = next
            } catch let error as StorageError {
                failure = error
            }
        }
        #expect(failure?.code == .outOfDiskSpace)
        try #require(step == CrashWorkload.largeStep - 1)
        #expect(try CrashWorkload.digest(of: connection) == states.digests[step])
        #expect(try connection.verify() == [])
        unlink(ballast)
        for next in (step + 1)...CrashWorkload.lastStep {
            try CrashWorkload.run(next, on: connection)
            #expect(try CrashWorkload.digest(of: connection) == states.digests[next])
        }
        #expect(try connection.verify() == [])
    }
}

/// A file system in memory of a given size. It is mounted for the lifetime of the instance.
final class SmallFileSystem {
    let path: String

    static let canMount: Bool = geteuid() == 0 && (try? SmallFileSystem(bytes: 1 << 20)) != nil

    init(bytes: Int) throws {
        path = NSTemporaryDirectory() + "engine-disk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            rmdir(path)
            throw TestFailure("mount failed: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
