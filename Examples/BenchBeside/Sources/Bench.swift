import RealmBenchKit
import RealmSwift

final class Order: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var customer: Int
    @Persisted var cents: Int

    convenience init(_ operation: BenchmarkOperation) {
        self.init()
        let order = PlainOrder(operation)
        (number, customer, cents) = (order.number, order.customer, order.cents)
    }
}

@main
struct Bench: RealmBench {
    static let workloads: [BenchmarkWorkload] = [
        .writes("place-order", "adds an order", of: [Order.self], count: 5000) {
            realm, operation in realm.add(Order(operation))
        }
        .writing(to: OrderJournal.self) { journal, operation in
            try journal.add(PlainOrder(operation))
        },
        .reads(
            "customer-total", "adds up what one customer has ordered", of: [Order.self],
            size: 10_000, count: 1000, filledBy: { $0.add(Order($1)) },
            strategies: [
                BenchmarkReadStrategy("query", "a query with an index") { realm, operation in
                    let customer = operation.random(below: 100)
                    let orders = realm.objects(Order.self).where { $0.customer == customer }
                    return orders.sum(of: \.cents)
                }
            ]
        )
        .reading(from: OrderJournal.self, filledBy: { try $0.add(PlainOrder($1)) }) {
            journal, operation in
            let customer = operation.random(below: 100)
            return journal.orders.reduce(0) { $0 + ($1.customer == customer ? $1.cents : 0) }
        }
        .reading(from: CustomerTotals.self, filledBy: { $0.add(PlainOrder($1)) }) {
            dictionary, operation in
            dictionary.totals[operation.random(below: 100)] ?? 0
        },
    ]
}
