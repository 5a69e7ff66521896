import RealmBenchKit

final class Order: Object {
    @Persisted(indexed: true) var customer: Int
    @Persisted var cents: Int

    convenience init(_ operation: BenchmarkOperation) {
        self.init()
        customer = operation.random(below: 100)
        cents = operation.random(below: 10_000, draw: 1)
    }
}

@main
struct Bench: RealmBench {
    static let workloads: [BenchmarkWorkload] = [
        .writes("place-order", "adds an order", adding: Order.init),
        .reads("customer-total", "adds up what one customer has ordered", filledBy: Order.init)
            .reading(by: "query", "a query with an index") { realm, operation in
                let buyer = operation.random(below: 100)
                return realm.objects(Order.self).where { $0.customer == buyer }.sum(of: \.cents)
            }
            .reading(by: "loop", "a loop over all orders") { realm, operation in
                let buyer = operation.random(below: 100)
                return realm.objects(Order.self)
                    .reduce(0) { $0 + ($1.customer == buyer ? $1.cents : 0) }
            },
    ]
}
