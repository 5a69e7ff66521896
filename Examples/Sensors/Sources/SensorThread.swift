import Foundation
import RealmSwift

/// A sensor that writes its readings on a thread of its own.
struct SensorThread: Sendable {
    let number: Int
    let options: Options
    let configuration: Realm.Configuration

    /// Writes readings until the sensor has all of them.
    ///
    /// The Realm is opened here, on the thread that uses it. Each transaction finds out how far the
    /// sensor is: so nothing is missing and nothing is there twice after a process was killed.
    func run() throws {
        let realm = try Realm(configuration: configuration)
        var isComplete = false
        while !isComplete {
            try realm.write {
                let sensor = realm.create(
                    Sensor.self, value: ["number": number], update: .modified)
                let first = sensor.readings.count
                let end = max(first, min(first + options.batch, options.readings))
                for index in first..<end {
                    sensor.readings.append(Reading(value: ["temperature": temperature(index)]))
                }
                isComplete = end >= options.readings
            }
        }
    }

    /// A temperature between 15 and 25 degrees, in tenths, always the same for a seed.
    private func temperature(_ index: Int) -> Double {
        var bits = UInt64(truncatingIfNeeded: options.seed &* 1_000_003 &+ number)
        bits = (bits &* 1_000_003 &+ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 29)) &* 0xBF58_476D_1CE4_E5B9
        return 15 + Double((bits >> 32) % 101) / 10
    }
}

/// Runs functions on threads of their own, and collects what they throw.
final class Threads: @unchecked Sendable {
    // Unchecked, because the compiler does not see that the condition guards both properties.
    private let condition = NSCondition()
    private var running = 0
    private var firstError: (any Error)?

    func start(_ body: @escaping @Sendable () throws -> Void) {
        condition.withLock { running += 1 }
        Thread.detachNewThread {
            let result = Result { try body() }
            self.condition.withLock {
                self.running -= 1
                if case .failure(let error) = result, self.firstError == nil {
                    self.firstError = error
                }
                self.condition.broadcast()
            }
        }
    }

    /// Waits until all have ended, but no longer than a time.
    ///
    /// - Returns: Whether they have.
    /// - Throws: The first error of any of them.
    func wait(seconds: Double) throws -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        return try condition.withLock {
            while running > 0, condition.wait(until: end) {}
            if let firstError { throw firstError }
            return running == 0
        }
    }
}
