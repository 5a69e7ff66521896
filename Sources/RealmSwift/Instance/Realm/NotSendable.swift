// What is confined to a thread, queue or actor must not be passed to another one. Unavailable
// conformances say so, also for types that the compiler could otherwise take for sendable. Pass a
// ``ThreadSafeReference`` instead.

@available(*, unavailable)
extension Realm: @unchecked Sendable {}

@available(*, unavailable)
extension Migration: @unchecked Sendable {}

@available(*, unavailable)
extension ObjectBase: @unchecked Sendable {}
