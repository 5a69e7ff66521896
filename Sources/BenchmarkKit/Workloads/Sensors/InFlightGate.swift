import Foundation

/// A limit on the number of readings between producer and disk, so that a producer faster than the
/// disk does not fill the memory. A waiting producer continues once half of the capacity is free,
/// which takes one wake-up for many readings.
final class InFlightGate: @unchecked Sendable {
    // Safe because the mutable state is only accessed with `condition` locked.
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

    /// Opens the gate for all from now on, so that no thread waits forever after a failure.
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
