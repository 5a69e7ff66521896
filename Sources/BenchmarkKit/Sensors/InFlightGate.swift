import Foundation

/// Bounds how many readings are on their way between producer and disk, so that a producer faster
/// than the disk does not fill the memory. A waiting producer is let in again when half of the room
/// is free: one wake-up for many readings.
final class InFlightGate: @unchecked Sendable {
    // Safe because: all mutable state is only touched with `condition` locked.
    private let condition = NSCondition()
    private let capacity: Int
    private var inFlight = 0
    private var waiting = 0
    private var isOpenToAll = false

    init(capacity: Int) { self.capacity = capacity }

    func enter() {
        condition.lock()
        if inFlight >= capacity, !isOpenToAll {
            waiting += 1
            repeat { condition.wait() } while inFlight > capacity / 2 && !isOpenToAll
            waiting -= 1
        }
        inFlight += 1
        condition.unlock()
    }

    func leave(_ count: Int = 1) {
        condition.lock()
        inFlight -= count
        if waiting > 0, inFlight == 0 || inFlight <= capacity / 2 { condition.broadcast() }
        condition.unlock()
    }

    /// Lets everybody through from now on: after a failure nobody may wait for ever.
    func abandon() {
        condition.lock()
        isOpenToAll = true
        condition.broadcast()
        condition.unlock()
    }

    func waitUntilEmpty() {
        condition.lock()
        waiting += 1
        while inFlight > 0, !isOpenToAll { condition.wait() }
        waiting -= 1
        condition.unlock()
    }

    var isEmpty: Bool {
        condition.lock()
        defer { condition.unlock() }
        return inFlight == 0 || isOpenToAll
    }
}
