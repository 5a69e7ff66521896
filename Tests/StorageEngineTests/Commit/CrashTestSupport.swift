import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Whether tests try every case instead of a sample.
enum LongTests {
    static let isEnabled = ProcessInfo.processInfo.environment["REALM_LONG_TESTS"] == "1"

    static func choose(_ long: Int, otherwise short: Int) -> Int { isEnabled ? long : short }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test under the thread sanitizer, whose bookkeeping a forked child of several threads
    /// waits for without end, and whose own memory is mapped beside that of the program.
    static var notUnderThreadSanitizer: Self {
        .disabled(
            if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] == "thread",
            "The thread sanitizer maps memory of its own and does not follow forked children.")
    }
}

extension FileKind {
    /// The kinds that are combined with kills and power losses. Without the long tests, it is one
    /// of each pair.
    static let inCrashes: [FileKind] =
        LongTests.isEnabled ? everyWay : [.plain, .encryptedAhead]
}

/// A directory in memory, if possible. Hundreds of images are opened, and the cost of a sync does
/// not matter.
final class CrashDirectory {
    let path: String
    private var imageNumber = 0

    init() throws {
        let isInMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")
        path =
            (isInMemory ? "/dev/shm/" : NSTemporaryDirectory()) + "engine-crash-"
            + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    /// Writes an image to a file, calls `body` with its path, and removes the file.
    func withImage<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
        imageNumber += 1
        let file = file("image-\(imageNumber)")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        defer {
            unlink(file)
            unlink(file + ".lock")
        }
        return try body(file)
    }
}

extension Connection {
    /// Returns the problems that verification finds. If several commits may be lost at once, torn
    /// records of such commits are left out.
    func problems(mayLose count: Int) throws -> [String] {
        try verify().filter { count < 2 || $0 != database.openingProblem }
    }
}

func readBytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// The states that `CrashWorkload` passes through, recorded in an undisturbed run.
struct CrashStates {
    let kind: FileKind
    /// The digests by step; 0 is the empty database.
    var digests: [UInt64] = []
    /// The file after a step, closed cleanly.
    var image: [UInt8] = []

    /// The images of the file before the step in which it gets all its commit slots, and before the
    /// step before that.
    struct BeforeExtension {
        /// The next step of each image.
        var firstSteps: [Int] = []
        var images: [[UInt8]] = []
    }
    var beforeExtension = BeforeExtension()

    /// A step shortly before a checkpoint and a large commit.
    static let preparedStep = 20
    static let shared = Result { try CrashStates(.plain) }
    private static let sharedEncrypted = Result { try CrashStates(.encrypted) }
    private static let sharedAhead = Result { try CrashStates(.plainAhead) }
    private static let sharedEncryptedAhead = Result { try CrashStates(.encryptedAhead) }

    static func of(_ kind: FileKind) throws -> CrashStates {
        let states =
            switch kind {
            case .plain: shared
            case .encrypted: sharedEncrypted
            case .plainAhead: sharedAhead
            case .encryptedAhead: sharedEncryptedAhead
            }
        return try states.get()
    }

    func open(_ path: String) throws -> Connection {
        try Connection(Database.open(path: path, options: kind.options))
    }

    private init(_ kind: FileKind) throws {
        self.kind = kind
        let directory = try CrashDirectory()
        let path = directory.file("workload")
        digests.append(try CrashWorkload.digest(of: open(path)))
        var earlier: [[UInt8]] = [[], []]
        for step in 1...CrashWorkload.lastStep {
            do {
                let connection = try open(path)
                try CrashWorkload.run(step, on: connection)
                digests.append(try CrashWorkload.digest(of: connection))
                let record = try connection.database.records.record(of: connection.version)
                if beforeExtension.images.isEmpty, record!.ring.isExtended {
                    beforeExtension = BeforeExtension(
                        firstSteps: [step - 1, step], images: earlier)
                }
            }
            if beforeExtension.images.isEmpty { earlier = [earlier[1], try readBytes(path)] }
            if step == Self.preparedStep { image = try readBytes(path) }
        }
    }

    /// Opens a file, checks it, and finds out which step it holds. The file must then accept the
    /// next step.
    func check(
        _ path: String, allowed: ClosedRange<Int>, _ label: @autoclosure () -> String
    ) throws {
        let label = label()
        var step = -1
        do {
            let connection = try open(path)
            step = try CrashWorkload.step(of: connection)
            #expect(allowed.contains(step), "\(label): step \(step), expected \(allowed)")
            #expect(try CrashWorkload.digest(of: connection) == digests[step], "\(label)")
            #expect(try connection.problems(mayLose: allowed.count - 1) == [], "\(label)")
            guard step < CrashWorkload.lastStep else { return }
            try CrashWorkload.run(step + 1, on: connection)
            #expect(try CrashWorkload.digest(of: connection) == digests[step + 1], "\(label)")
        }
        let connection = try open(path)
        #expect(try CrashWorkload.digest(of: connection) == digests[step + 1], "\(label), reopened")
        #expect(try connection.verify() == [], "\(label), reopened")
    }
}
