import RealmSwift

/// A workload over classes of your own, for a program of the protocol `RealmBench`.
///
/// Cases are measured, proved and reported like those of `realm-bench`. By default a case does a
/// fixed number of operations, so that its counted metrics repeat and it has a digest of its
/// result; `--seconds` measures for a time instead.
public struct BenchmarkWorkload: Sendable {
    /// Adds what belongs to one object that the file is filled with, inside a write transaction.
    public typealias Fill = @Sendable (Realm, BenchmarkOperation) throws -> Void
    /// Returns what is wrong with the contents of the file, as a sentence, and nil if nothing is.
    /// `written` operations have been performed.
    public typealias Check = @Sendable (_ realm: Realm, _ written: Int) throws -> String?

    enum Work: Sendable {
        case writes(BenchmarkWriteStrategy.Change, [BenchmarkWriteStrategy], Check?)
        case reads([BenchmarkReadStrategy])
    }

    let name: String
    let summary: String
    let classes: [ObjectBase.Type]
    /// The number of objects that the file is filled with; 1 if it begins empty.
    let size: Int
    let count: Int
    let fill: Fill?
    let work: Work
    /// Whether all strategies leave, or find, the same.
    let strategiesAgree: Bool
    /// The databases that stand beside this one.
    var besides: [Beside] = []

    /// Creates a workload whose operations change the file.
    ///
    /// A fresh process opens the file afterwards, verifies its structure, and compares all objects
    /// with what the measured process saw.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What one operation does, in a line.
    ///   - classes: The classes of the Realm.
    ///   - count: The number of operations unless `--count` or `--seconds` says otherwise.
    ///   - size: How many objects the file has before, if `fill` makes some. A suite file and
    ///     `--sweep size=N` can say otherwise.
    ///   - fill: Adds one of the objects that the file has before. It is filled in another process,
    ///     unmeasured. Without, the file is empty.
    ///   - strategies: How the changes get into transactions.
    ///   - strategiesAgree: Whether all strategies must leave the same objects, in any order. Links
    ///     to objects without a primary key are compared by the order in which these were made, so
    ///     that `threads` may leave others.
    ///   - check: Looks at the objects in the fresh process as well.
    ///   - change: Makes the changes of one operation. It must follow from the operation alone.
    public static func writes(
        _ name: String, _ summary: String, of classes: [ObjectBase.Type], count: Int = 10_000,
        size: Int = 100_000, filledBy fill: Fill? = nil,
        strategies: [BenchmarkWriteStrategy] = [.single, .batched, .threads],
        strategiesAgree: Bool = true, check: Check? = nil,
        change: @escaping BenchmarkWriteStrategy.Change
    ) -> BenchmarkWorkload {
        BenchmarkWorkload(
            name: name, summary: summary, classes: classes, size: fill == nil ? 1 : size,
            count: count, fill: fill, work: .writes(change, strategies, check),
            strategiesAgree: strategiesAgree)
    }

    /// Creates a workload whose operations only read.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What one operation finds, in a line.
    ///   - classes: The classes of the Realm.
    ///   - size: How many objects the file has. A suite file and `--sweep size=N` can say
    ///     otherwise.
    ///   - count: The number of operations unless `--count` or `--seconds` says otherwise.
    ///   - fill: Adds one of the objects. The file is filled in another process, unmeasured.
    ///   - strategies: The ways to answer. All must give the same answers.
    public static func reads(
        _ name: String, _ summary: String, of classes: [ObjectBase.Type], size: Int = 100_000,
        count: Int = 10_000, filledBy fill: @escaping Fill, strategies: [BenchmarkReadStrategy]
    ) -> BenchmarkWorkload {
        BenchmarkWorkload(
            name: name, summary: summary, classes: classes, size: size, count: count, fill: fill,
            work: .reads(strategies), strategiesAgree: true)
    }
}
