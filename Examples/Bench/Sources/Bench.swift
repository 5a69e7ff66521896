import RealmBenchKit
import RealmSwift

final class Order: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var customer: Int
    @Persisted var cents: Int

    convenience init(_ operation: BenchmarkOperation) {
        self.init()
        number = operation.number
        customer = operation.random(below: 100)
        cents = 100 + operation.random(below: 10_000, draw: 1)
    }
}

@main
struct Bench: RealmBench {
    // Other databases beside this one: Examples/BenchBeside of the library.
    static let workloads: [BenchmarkWorkload] = [
        .writes("place-order", "adds an order", of: [Order.self], count: 5000) {
            realm, operation in realm.add(Order(operation))
        },
        .reads(
            "customer-total", "adds up what one customer has ordered", of: [Order.self],
            size: 10_000, count: 1000, filledBy: { $0.add(Order($1)) },
            strategies: [
                BenchmarkReadStrategy("query", "a query with an index") { realm, operation in
                    let customer = operation.random(below: 100)
                    let orders = realm.objects(Order.self).where { $0.customer == customer }
                    return orders.sum(of: \.cents)
                },
                BenchmarkReadStrategy("loop", "a loop over all orders") { realm, operation in
                    let customer = operation.random(below: 100)
                    return realm.objects(Order.self)
                        .reduce(0) { $0 + ($1.customer == customer ? $1.cents : 0) }
                },
            ]),
    ]
}
