import Foundation

let usage = """
    Usage: todo FILE create        make a list, asking for a new passphrase
           todo FILE add TEXT      add an item
           todo FILE list          show the items
           todo FILE done NUMBER   check an item
           todo FILE tidy          remove the checked items
           todo FILE passphrase    change the passphrase
    All of them ask for the passphrase: in the terminal, else each is a line of the input.
    """

@main
struct Todo {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as LocalizedError {
            fail(error.localizedDescription)
        } catch {
            fail("\(error)")
        }
    }

    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let url = URL(fileURLWithPath: arguments[0])
        switch (arguments[1], arguments.count) {
        case ("create", 2): try await create(url)
        case ("add", 3):
            print("Item \(try await open(url).add(arguments[2]))")
        case ("list", 2):
            for entry in try await open(url).entries {
                print("\(entry.isDone ? "[x]" : "[ ]") \(entry.number) \(entry.text)")
            }
        case ("done", 3):
            guard let number = Int(arguments[2]) else { return stopWithUsage() }
            try await open(url).finish(number)
        case ("tidy", 2):
            print("Removed: \(try await open(url).removeFinished())")
        case ("passphrase", 2): try await changePassphrase(url)
        default: stopWithUsage()
        }
    }

    static func create(_ url: URL) async throws {
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw Refusal(description: "\(url.lastPathComponent) exists already.")
        }
        let passphrase = try readNewPassphrase("New passphrase")
        let salt = try Salt(newFor: url)
        _ = try await TodoList(url, key: salt.key(for: passphrase))
    }

    /// Opens a list that exists. A mistyped name would otherwise create an empty one.
    static func open(_ url: URL) async throws -> TodoList {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw Refusal(
                description: "There is no \(url.lastPathComponent). Make one with: create")
        }
        let key = try Salt(existingFor: url).key(for: readPassphrase("Passphrase"))
        return try await TodoList(url, key: key)
    }

    static func changePassphrase(_ url: URL) async throws {
        let list = try await open(url)
        let passphrase = try readNewPassphrase("New passphrase")
        try await list.change(to: Salt(existingFor: url).key(for: passphrase))
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }

    static func fail(_ message: String) {
        FileHandle.standardError.write(Data("todo: \(message)\n".utf8))
        exit(1)
    }
}
