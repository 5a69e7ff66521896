/// An actor with a Realm of its own.
final class ActorReceiver: ChangeReceiver {
    private let actor = RealmPersonActor()
    private let core: CoreCase
    private let board: NoticeBoard

    init(_ core: CoreCase, _ board: NoticeBoard) {
        self.core = core
        self.board = board
    }

    func start() throws {
        board.expect(nil)
        try Awaited.run { [actor, core, observers = board.makeObservers()] in
            try await actor.start(core.databasePath, core.durability, observers)
        }
        _ = try board.wait()
        try rest()
    }

    func wait() throws -> (first: UInt64, last: UInt64) { try board.wait() }
    func rest() throws { try Awaited.run { [actor] in await actor.rest() } }
    func stop() throws { try Awaited.run { [actor] in await actor.stop() } }
}
