import Foundation
import Synchronization
import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct SensorStoreTests {
        private static let descriptions = ["b/no2", "a/pm10", "c/o3"].map {
            SensorDescription(identifier: $0, city: "Ghent", parameter: "no2")
        }

        private func reading(_ sensor: Int, _ sequence: Int, payload: Int = 0) -> ProducedReading {
            ProducedReading(
                sensor: sensor, sequence: sequence, time: 1_546_300_800 + Double(sequence),
                value: Double(sequence) / 4, payload: Data(repeating: 7, count: payload))
        }

        private func expectEqual(
            _ store: any SensorStore, _ sequences: [[Int]],
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            let contents = try store.contents()
            #expect(
                contents.map(\.identifier) == Self.descriptions.map(\.identifier),
                sourceLocation: location)
            for (stored, sequences) in zip(contents, sequences) {
                var account = SensorAccount()
                for sequence in sequences { account.add(sequence: sequence) }
                #expect(stored.account == account, sourceLocation: location)
                #expect(
                    stored.kept == Array(sequences.suffix(SensorAccount.capacity)),
                    sourceLocation: location)
            }
            #expect(try store.problems() == [], sourceLocation: location)
        }

        /// In a session that ends with it, and with it whatever version it holds.
        private func write(_ store: any SensorStore) throws {
            let session = try store.makeSession(Self.descriptions)
            for sequences in [[3, 1], [0]] {
                try session.begin()
                for sequence in sequences {
                    try session.append(reading(0, sequence, payload: 50))
                }
                try session.append(reading(2, sequences[0]))
                _ = try session.commit()
            }
            try session.begin()
            try session.append(reading(1, 1000))
            session.cancel()
        }

        @Test(arguments: Peer.ofSensors)
        func readingsAreKeptInOrderOfCommits(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/sensors"
            do {
                let store = try peer.engine.openSensors(at: path, peer.fastest)
                try store.create(Self.descriptions)
                try write(store)
                try expectEqual(store, [[3, 1, 0], [], [3, 0]])
                #expect(try store.pinnedVersions() == 0)
                #expect(try store.size().fileBytes > 0)
            }
            try expectEqual(
                peer.engine.openSensors(at: path, peer.fastest), [[3, 1, 0], [], [3, 0]])
        }

        @Test(arguments: Peer.ofSensors)
        func theOldestBeyondTheCapacityAreDeleted(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openSensors(at: folder.path + "/sensors", peer.fastest)
            try store.create(Self.descriptions)
            let count = SensorAccount.capacity + 7
            try write(0...count, to: store)
            try expectEqual(store, [[], Array(0...count), []])
        }

        /// In a session that ends with it, as an engine may have one connection for all.
        private func write(_ sequences: ClosedRange<Int>, to store: any SensorStore) throws {
            let session = try store.makeSession(Self.descriptions)
            // The last one has a transaction of its own.
            for first in stride(from: sequences.lowerBound, to: sequences.upperBound, by: 2000) {
                try session.begin()
                for sequence in first..<min(first + 2000, sequences.upperBound) {
                    try session.append(reading(1, sequence))
                }
                _ = try session.commit()
            }
            try session.begin()
            try session.append(reading(1, sequences.upperBound))
            _ = try session.commit()
        }

        /// Whoever writes notes the order before the commit, and the proof relies on it.
        @Test(arguments: Peer.ofSensors)
        func transactionsAreCommittedInTheOrderInWhichTheyBegan(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openSensors(at: folder.path + "/sensors", peer.fastest)
            try store.create(Self.descriptions)
            let order = Mutex<[Int]>([])
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                do {
                    for sequence in 50 * thread..<50 * (thread + 1) {
                        let session = try store.makeSession(Self.descriptions)
                        try session.begin()
                        // Some of those that begin are given up, and must let others begin.
                        if sequence.isMultiple(of: 7) { continue }
                        try session.append(reading(0, sequence))
                        order.withLock { $0.append(sequence) }
                        _ = try session.commit()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let expected = order.withLock { $0 }
            #expect(try store.contents()[0].kept == expected)
        }

        @Test(arguments: Peer.ofSensors)
        func severalThreadsLoseNothing(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openSensors(at: folder.path + "/sensors", peer.fastest)
            try store.create(Self.descriptions)
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                do {
                    let session = try store.makeSession(Self.descriptions)
                    for sequence in 0..<50 {
                        try session.begin()
                        try session.append(reading(0, 50 * thread + sequence))
                        try session.append(reading(thread, 50 * thread + sequence))
                        _ = try session.commit()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let contents = try store.contents()
            #expect(contents.map(\.account.written) == [200, 50, 50])
            #expect(contents.map(\.kept.count) == [200, 50, 50])
        }
    }
}
