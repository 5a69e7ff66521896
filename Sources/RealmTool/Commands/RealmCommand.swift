import ArgumentParser

/// The command line tool `realm`, as the whole `main` of its executable.
public enum CommandLineTool {
    /// Parses the arguments, runs the command, and exits with a code that tells the outcome.
    public static func main() -> Never { CommandRun.main(RealmCommand.self) }
}

/// The root command, `realm`.
struct RealmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Looks into database files, and moves data in and out of them.",
        discussion: """
            It needs no model classes: the file says which it has. Any file may be in use by other \
            processes meanwhile; commands that need it alone say so. Progress is shown on standard \
            error if that is a terminal.

            FIRST STEPS
              realm info people.realm                       what is in it
              realm query people.realm Person 'age > 30'    objects that match
              realm export people.realm Person > p.csv      all objects of a class
              realm import new.realm Person p.csv --infer   a new file of a table
              realm schema people.realm                     its classes in Swift
              realm studio people.realm                     all of it, in the browser

            KEYS
              A key is read from a file (--key-file) or an environment variable
              (--key-variable), never from an argument, which every user of the
              machine can see.

            EXIT CODES
              0    done
              1    the tool could not do its work (full disk, unwritable folder)
              3    the database file is damaged
              64   the command line is wrong: no such file, class or property, a wrong key,
                   a mistake in a predicate
              65   the data to import is wrong; the message says where, and what
                   was imported
              75   another process has the file open, and the command needs it alone
              130  interrupted by Control-C
            """,
        subcommands: [
            InfoCommand.self, SchemaCommand.self, QueryCommand.self, ExportCommand.self,
            ImportCommand.self, WatchCommand.self, VerifyCommand.self, CompactCommand.self,
            EncryptCommand.self, DecryptCommand.self, RekeyCommand.self, PinsCommand.self,
            StudioCommand.self,
        ])
}
