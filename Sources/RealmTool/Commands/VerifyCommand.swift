import ArgumentParser
import StorageEngine
import ToolSupport

/// The command `realm verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks everything in a file.",
        discussion: """
            Reads every page, compares checksums, and checks that keys, links, backlinks, indexes, \
            counts and free space agree. The file may be in use; writers wait for a moment at the \
            end. Nothing is repaired: a damaged file is replaced by a backup, or saved as far as \
            'realm export' reads it.

            EXAMPLES
              realm verify people.realm
              realm verify people.realm --read-only

            EXIT CODES
              0   the file is sound
              3   the file is damaged; each problem is on a line of standard output
            """)

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Flag(help: "Check all but free space, which needs the right to write to the file.")
    var readOnly = false

    @OptionGroup var key: KeyOptions

    func run() throws {
        Interruption.watch()
        let opened = try RealmFile.open(file, key: key.key(), forWriting: !readOnly)
        let progress = ProgressLine("Verifying")
        var problems: [String]
        do throws(StorageError) {
            problems = try opened.connection.verify { done, all throws(StorageError) in
                try Interrupted.check(file)
                progress.update(done, of: all)
            }
        } catch {
            guard error.code == .damaged else {
                progress.clear()
                throw error
            }
            problems = [error.message]
        }
        progress.clear()
        let output = ByteOutput.standard
        guard problems.isEmpty else {
            for problem in problems { output.append(text: problem + "\n") }
            try output.finish()
            throw ToolError(
                .damaged,
                "'\(file)' is damaged: \(Display.count(problems.count, "problem")).")
        }
        let definitions = try opened.connection.tableDefinitions()
        let objects = try definitions.reduce(0) { try $0 + opened.table($1.name).count() }
        output.append(
            text: "'\(file)' is sound: \(Display.count(objects, "object")) of "
                + "\(Display.count(definitions.count, "class", "classes")).\n")
        try output.finish()
    }
}
