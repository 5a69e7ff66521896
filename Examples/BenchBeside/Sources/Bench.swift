import RealmBenchKit

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
        .writes("place-order", "adds an order", count: 5000, adding: Order.init)
            .writing(to: OrderJournal.self) { journal, operation in
                try journal.add(PlainOrder(operation))
            },
        .reads("customer-total", "adds up what one customer has ordered", filledBy: Order.init)
            .reading(by: "query", "a query with an index") { realm, operation in
                let customer = operation.random(below: 100)
                return realm.objects(Order.self).where { $0.customer == customer }.sum(of: \.cents)
            }
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
