import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct ExamsTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appendingPathComponent("exams.realm").path
    }

    private static let subjects = ["Algebra", "Botany", "Chemistry"]

    private func makeFirstVersion() throws {
        for subject in Self.subjects {
            #expect(try run("exams1", "add", "\(subject) (oral)", "soon", "A", "B", "H", "0") == [])
        }
    }

    private func run(_ program: String, _ arguments: String...) throws -> [String] {
        try lines(of: program, [file] + arguments)
    }

    @Test(arguments: 1...3) func aMigrationThatIsKilledIsTakenUp(_ exams: Int) throws {
        try makeFirstVersion()
        let before = try run("exams1", "list")

        let killed = try ExampleProcess("exams", [file, "update", "--kill-after", "\(exams)"])
        #expect(killed.nextLine() == "The file has version 1.")
        #expect(killed.nextLine() == nil)
        #expect(try killed.finish() == SIGKILL)

        #expect(try run("exams1", "list") == before)
        let update = try ExampleProcess("exams", [file, "update"])
        #expect(try update.finish() == 0)
        #expect(
            try run("exams", "list")
                == Self.subjects.map { "\($0)-someday (oral), A B, H, floor 0" })
    }

    @Test func allWaysFromTheFirstVersionLeadToTheSameFile() throws {
        try makeFirstVersion()
        let other = folder.url.appendingPathComponent("other.realm").path
        try FileManager.default.copyItem(atPath: file, toPath: other)
        #expect(try run("exams2", "list").count == Self.subjects.count)

        let stepwise = try run("exams", "list").dropFirst()

        let atOnce = try lines(of: "exams", [other, "list"])
        #expect(atOnce.first == "The file has version 1.")
        #expect(atOnce.dropFirst() == stepwise)
        #expect(stepwise.count == Self.subjects.count)
    }

    /// A program of version 3 may meet what one of version 2 would have migrated, so both take the
    /// same step.
    @Test func aStepThatWasShippedIsNotChanged() throws {
        let exams = examplesFolder.appendingPathComponent("Exams")
        let step = "ToVersion2.swift"
        #expect(
            try Data(contentsOf: exams.appendingPathComponent("Version2/\(step)"))
                == Data(contentsOf: exams.appendingPathComponent("Version3/\(step)")))
    }
}
