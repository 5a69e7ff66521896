@_exported import BenchmarkKit
import JemallocCounters
@_exported import RealmSwift

/// A program that measures your own work with your own classes.
///
/// ```swift
/// import RealmBenchKit
///
/// final class Order: Object {
///     @Persisted var cents: Int
///
///     convenience init(_ operation: BenchmarkOperation) {
///         self.init()
///         cents = operation.random(below: 10_000)
///     }
/// }
///
/// @main
/// struct Bench: RealmBench {
///     static let workloads: [BenchmarkWorkload] = [
///         .writes("place-order", "adds an order", adding: Order.init)
///     ]
/// }
/// ```
///
/// The module brings `RealmSwift` with it.
///
/// The program has the commands of `realm-bench` (`run`, `list`, `gate`, `baseline`, `compare`,
/// `report`, `selftest` and so on) with your workloads instead of those of `realm-bench`. The
/// suites `default`, `counted` and `timed` have all of them. Baselines lie in `results/baselines`
/// of your package.
///
/// The product needs the trait `Runner` of the package and `libjemalloc-dev`, because the program
/// counts allocations.
public protocol RealmBench {
    static var workloads: [BenchmarkWorkload] { get }
}

extension RealmBench {
    /// Runs the command that the arguments name, and exits with a code that tells the outcome.
    public static func main() {
        BenchmarkTool.main(allocations: JemallocCounters.probe(), workloads: workloads)
    }
}
