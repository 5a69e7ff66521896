import Foundation

let usage = """
    Usage: chat FILE join NAME              show messages as they come, send the lines of the input
           chat FILE follow NAME --count N  show messages as they come, N of them
           chat FILE send NAME TEXT         send one message
           chat FILE who                    who is here, and how much they have not read
    """

@main
struct Chat {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("chat: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let room = try await Room(arguments[0])
        switch (arguments[1], arguments.count) {
        case ("join", 3): try await join(room, as: arguments[2])
        case ("follow", 5) where arguments[3] == "--count":
            guard let count = Int(arguments[4]), count > 0 else { return stopWithUsage() }
            try await follow(room, as: arguments[2], count)
        case ("send", 4): try await room.send(arguments[3], from: arguments[2])
        case ("who", 2): await room.showMembers()
        default: stopWithUsage()
        }
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}

/// Shows what others write while it sends the lines of the input, until these end.
func join(_ room: Room, as name: String) async throws {
    try await room.enter(as: name)
    let token = await room.showMessages(for: name)
    for await line in inputLines() {
        if line == "/who" {
            await room.showMembers()
        } else if !line.isEmpty {
            try await room.send(line, from: name)
        }
    }
    try await room.leave(as: name)
    token.invalidate()
}

/// Shows a number of messages.
func follow(_ room: Room, as name: String, _ count: Int) async throws {
    try await room.enter(as: name)
    try await room.show(count, for: name)
    try await room.leave(as: name)
}

/// The lines of the standard input. A thread of their own waits for them, because the threads that
/// run tasks are few.
func inputLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
}
