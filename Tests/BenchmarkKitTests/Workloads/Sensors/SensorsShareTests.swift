import Foundation
import Testing

@testable import BenchmarkKit

@Suite struct SensorsShareTests {
    @Test func everySensorHasOneOwner() {
        let owners = (0..<7).map { SensorsShare.owner(ofSensor: $0, among: 3) }
        #expect(Set(owners) == [0, 1, 2])
    }

    /// However the feed is shared, sequence numbers and values are those of the whole feed.
    @Test func sharesTogetherAreTheWholeFeed() throws {
        func key(_ reading: ProducedReading) -> String {
            "\(reading.sensor) \(reading.sequence) \(reading.time) \(reading.value)"
        }
        func feed() -> ReadingFeed {
            ReadingFeed(source: .synthetic, sensors: 5, payloadBytes: 3, seed: 4, limit: 200)
        }
        let all = feed()
        var whole: Set<String> = []
        while let reading = all.next() { whole.insert(key(reading)) }
        var shared: [String] = []
        for process in 0..<2 {
            let own = feed()
            while let reading = own.next(where: {
                SensorsShare.owner(ofSensor: $0, among: 2) == process
            }) { shared.append(key(reading)) }
        }
        #expect(shared.count == 200)
        #expect(Set(shared) == whole)
    }

    @Test func statesOfProcessesAreAdded() throws {
        func state(_ sequences: Range<Int>, latency: UInt64) -> WriteRecorder.State {
            let recorder = WriteRecorder(sensors: 1, recordsShapes: false)
            recorder.beginMeasuring()
            for sequence in sequences {
                let reading = ProducedReading(
                    sensor: 0, sequence: sequence, time: 0, value: 0, payload: Data())
                recorder.finished(
                    CollectionOfOne(reading),
                    times: TransactionTimes(taken: 0, begun: 0, worked: 0, durable: latency),
                    cost: CommitCost(pages: 2, syncNanoseconds: 1), shape: nil)
            }
            return recorder.snapshot()
        }
        let coded = try JSONDecoder().decode(
            WriteRecorder.State.self, from: JSONEncoder().encode(state(0..<10, latency: 1000)))
        var sum = state(0..<30, latency: 5000)
        sum.add(coded)
        #expect(sum.operations == 40 && sum.commits == 40 && sum.pages == 80)
        #expect(sum.latency.count == 40)
        #expect(abs(try #require(sum.latency.percentile(20)) - 1) < 0.01)
        #expect(abs(try #require(sum.latency.percentile(50)) - 5) < 0.01)
    }

    @Test func allocationsOfProcessesAreThoseOfAllTheirOperations() throws {
        func state(_ operations: Int, _ allocations: Double?) -> WriteRecorder.State {
            var state = WriteRecorder(sensors: 1, recordsShapes: false).snapshot()
            state.operations = operations
            state.allocations = allocations.map { .init(count: $0, bytes: $0 * 16) }
            return state
        }
        var sum = state(30, 2)
        sum.add(state(10, 6))
        #expect(sum.operations == 40)
        #expect(sum.allocations?.count == 3)
        #expect(sum.allocations?.bytes == 48)
        // A process without operations changes nothing.
        sum.add(state(0, nil))
        #expect(sum.allocations?.count == 3)
        var empty = state(0, nil)
        empty.add(sum)
        #expect(empty.allocations?.count == 3)
        // A process with operations but without counts makes the sum unknown.
        sum.add(state(5, nil))
        #expect(sum.allocations == nil)
    }
}
