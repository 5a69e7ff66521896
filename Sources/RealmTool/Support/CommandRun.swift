import ArgumentParser
import Foundation
import Glibc
import StorageEngine
import ToolSupport

/// What a program with commands does as its whole `main`.
package enum CommandRun {
    /// Parses the arguments, runs the command, and exits with a code that tells the outcome.
    ///
    /// - Parameter preparation: What is done first; its errors end the program as well.
    package static func main<Root: ParsableCommand>(
        _ root: Root.Type, after preparation: () throws -> Void = {}
    ) -> Never {
        do {
            try preparation()
            var command = try root.parseAsRoot()
            try command.run()
            try StandardOutput.finish()
            exit(0)
        } catch let error as StorageError {
            fail(ToolError(error))
        } catch let error as ToolError {
            fail(error)
        } catch  where root.exitCode(for: error) == .success {
            // What was asked for, such as the help.
            print(root.fullMessage(for: error))
            do { try StandardOutput.finish() } catch { fail(error) }
            exit(0)
        } catch {
            root.exit(withError: error)
        }
    }

    private static func fail(_ error: ToolError) -> Never {
        // The reader of a pipe has what it wants.
        if error.code != .interrupted(SIGPIPE) {
            Terminal.write("Error: \(error.message)\n", to: STDERR_FILENO)
        }
        exit(error.code.rawValue)
    }
}
