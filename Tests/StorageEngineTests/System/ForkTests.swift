import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Processes that are forked while their threads use databases.
@Suite struct ForkTests {
    @Test(.notUnderThreadSanitizer, arguments: FileKind.allCases)
    func aForkedChildRefusesWhatItInheritedAndOpensAnew(kind: FileKind) throws {
        let directory = try CrashDirectory()
        let rounds = LongTests.choose(200, otherwise: 16)
        let child = try CoordinationTestProcess(
            "fork-and-open", directory.file("a"), kind.rawValue, "\(rounds)")
        var line = child.nextLine()
        while let said = line, said.hasPrefix("error in") {
            Issue.record("\(said)")
            line = child.nextLine()
        }
        #expect(line == "all children came")
        #expect(child.nextLine() == "\((0..<rounds).map { $0 })")
    }

    @Test func aValueOfTheProcessIsMadeOnce() async {
        let made = Locked(0)
        let local = ProcessLocal {
            made.withLock { $0 += 1 }
            return Locked(0)
        }
        let first = local.value
        #expect(local.value === first && made.withLock { $0 } == 1)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { local.value === first } }
            for await isSame in group { #expect(isSame) }
        }
    }
}
