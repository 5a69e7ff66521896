import Benchmark
import Foundation
import RealmSwift

final class MicroPerson: Object {
    @Persisted var name = ""
    @Persisted var age = 0
}

/// Registers the benchmarks of properties of managed objects.
func objectBenchmarks() {
    measure("read-a-property-of-an-object-1000-times") { benchmark in
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "micro-\(UUID().uuidString)", objectTypes: [MicroPerson.self]))
        let person = MicroPerson()
        try realm.write {
            person.age = 7
            realm.add(person)
        }
        var sum = 0
        benchmark.startMeasurement()
        for _ in 0..<1000 { sum &+= person.age }
        benchmark.stopMeasurement()
        precondition(sum == 7000, "The property was read wrong.")
    }
}
