import Foundation
import RealmSwift

/// What a member was refused.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// Prints a line at once. `print` may keep it, and flushing waits for the thread that reads.
func printLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// A room, which is a file that any number of processes have open. The Realm belongs to this actor:
/// it tells changes whenever nothing else is running in it.
actor Room {
    private var realm: Realm!
    /// The number of the last message that was shown.
    private var lastRead = 0

    init(_ path: String) async throws {
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Message.self, Member.self])
        realm = try await Realm(configuration: configuration, actor: self)
    }

    // MARK: Reading

    /// Shows what others have written since the last visit, and goes on whenever they write more.
    ///
    /// - Returns: A token. Messages are shown as long as it exists.
    func showMessages(for name: String) async -> NotificationToken {
        for message in messages(for: name, after: lastRead) { show(message) }
        return await messages(for: name, after: lastRead).observe(on: self) { room, change in
            switch change {
            case .initial(let messages):
                for message in messages { room.show(message) }
            case .update(let messages, _, let insertions, _):
                for position in insertions { room.show(messages[position]) }
            case .error(let error): printLine("No more messages: \(error)")
            }
        }
    }

    /// Shows a number of messages: those that were not read, and then others as they come.
    func show(_ count: Int, for name: String) async throws {
        var remaining = count
        // The same changes as those of `observe`, in a loop.
        for await change in messages(for: name, after: lastRead).changes {
            let news: [Message]
            switch change {
            case .initial(let messages): news = Array(messages.prefix(remaining))
            case .update(let messages, _, let insertions, _):
                news = insertions.prefix(remaining).map { messages[$0] }
            case .error(let error): throw error
            }
            for message in news { show(message) }
            remaining -= news.count
            if remaining == 0 { break }
        }
    }

    /// Shows who is here, and how much each has not read.
    func showMembers() {
        for member in realm.objects(Member.self).sorted(by: \.name) {
            let unread = messages(for: member.name, after: member.lastRead).count
            printLine("\(member.name) is \(member.isHere ? "here" : "away"), \(unread) unread")
        }
    }

    private func show(_ message: Message) {
        printLine("\(message.author): \(message.text)")
        lastRead = message.number
    }

    /// What others have written after a message. Like all results these are live: they gain what
    /// any process writes.
    private func messages(for name: String, after number: Int) -> Results<Message> {
        realm.objects(Message.self).where { $0.number > number && $0.author != name }
            .sorted(by: \.number)
    }

    // MARK: Writing

    /// Marks a member as present.
    ///
    /// Only one process writes at a time. So of two that enter with one name, the second sees what
    /// the first has written, and is refused.
    func enter(as name: String) async throws {
        try await realm.asyncWrite {
            let member = existingOrNewMember(name)
            if member.isHere { throw Refusal(description: "\(name) is in the room already.") }
            member.process = Int(getpid())
            lastRead = member.lastRead
        }
    }

    /// Shows what came meanwhile, and marks the member as away. The next visit begins behind what
    /// was shown.
    func leave(as name: String) async throws {
        await realm.asyncRefresh()
        try await realm.asyncWrite {
            let member = existingOrNewMember(name)
            member.process = nil
            member.lastRead = lastRead
        }
    }

    /// Sends a message. Its number is free, because nobody else writes before the end of the
    /// transaction, and the transaction begins with the newest version.
    func send(_ text: String, from name: String) async throws {
        try await realm.asyncWrite {
            _ = existingOrNewMember(name)
            let last = realm.objects(Message.self).max(of: \.number) ?? 0
            realm.create(
                Message.self, value: ["number": last + 1, "author": name, "text": text])
        }
    }

    private func existingOrNewMember(_ name: String) -> Member {
        realm.object(ofType: Member.self, forPrimaryKey: name)
            ?? realm.create(Member.self, value: ["name": name])
    }
}
