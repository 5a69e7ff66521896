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
    var work: Work
    /// Whether all strategies leave, or find, the same.
    let strategiesAgree: Bool
    /// The databases that stand beside this one.
    var besides: [Beside] = []
    /// What was asked of a workload that cannot do it, as a sentence.
    var mistake: String?

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
        size: Int = 10_000, filledBy fill: Fill? = nil,
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
    ///     ``reading(by:_:answer:)`` adds further ones.
    public static func reads(
        _ name: String, _ summary: String, of classes: [ObjectBase.Type], size: Int = 10_000,
        count: Int = 1000, filledBy fill: @escaping Fill, strategies: [BenchmarkReadStrategy] = []
    ) -> BenchmarkWorkload {
        BenchmarkWorkload(
            name: name, summary: summary, classes: classes, size: size, count: count, fill: fill,
            work: .reads(strategies), strategiesAgree: true)
    }
}

// MARK: Workloads over objects that an operation makes

extension BenchmarkWorkload {
    /// Creates a workload whose operations each add an object to an empty file.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What one operation does, in a line.
    ///   - classes: Classes of the Realm besides that of the objects, such as those they link to.
    ///   - count: The number of operations unless `--count` or `--seconds` says otherwise.
    ///   - strategies: How the changes get into transactions.
    ///   - check: Looks at the objects in the fresh process as well.
    ///   - make: Makes the object of one operation, as `Order.init` of a class `Order` with such an
    ///     initializer. It must follow from the operation alone.
    public static func writes<Model: Object>(
        _ name: String, _ summary: String, of classes: [ObjectBase.Type] = [],
        count: Int = 10_000, strategies: [BenchmarkWriteStrategy] = [.single, .batched, .threads],
        check: Check? = nil, adding make: @escaping @Sendable (BenchmarkOperation) throws -> Model
    ) -> BenchmarkWorkload {
        .writes(
            name, summary, of: all(Model.self, classes), count: count, strategies: strategies,
            check: check, change: { realm, operation in realm.add(try make(operation)) })
    }

    /// Creates a workload whose operations only read objects of a class.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What one operation finds, in a line.
    ///   - classes: Classes of the Realm besides that of the objects, such as those they link to.
    ///   - size: How many objects the file has. A suite file and `--sweep size=N` can say
    ///     otherwise.
    ///   - count: The number of operations unless `--count` or `--seconds` says otherwise.
    ///   - make: Makes one of the objects. The file is filled in another process, unmeasured.
    ///   - strategies: The ways to answer. All must give the same answers.
    ///     ``reading(by:_:answer:)`` adds further ones.
    public static func reads<Model: Object>(
        _ name: String, _ summary: String, of classes: [ObjectBase.Type] = [], size: Int = 10_000,
        count: Int = 1000,
        filledBy make: @escaping @Sendable (BenchmarkOperation) throws -> Model,
        strategies: [BenchmarkReadStrategy] = []
    ) -> BenchmarkWorkload {
        .reads(
            name, summary, of: all(Model.self, classes), size: size, count: count,
            filledBy: { realm, operation in realm.add(try make(operation)) },
            strategies: strategies)
    }

    private static func all(
        _ model: Object.Type, _ others: [ObjectBase.Type]
    ) -> [ObjectBase.Type] {
        [model] + others.filter { $0 != model }
    }
}

// MARK: Further strategies

extension BenchmarkWorkload {
    /// Lets the workload answer its question in a further way, in rows of their own.
    ///
    /// - Parameters:
    ///   - strategy: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What the strategy does, in a line.
    ///   - answer: Answers the question of one operation, the same as all other strategies do.
    public func reading(
        by strategy: String, _ summary: String, answer: @escaping BenchmarkReadStrategy.Read
    ) -> BenchmarkWorkload {
        var workload = self
        if case .reads(let strategies) = work {
            workload.work = .reads(
                strategies + [BenchmarkReadStrategy(strategy, summary, read: answer)])
        } else {
            workload.mistake = "The workload '\(name)' needs writing(by:), not reading(by:)."
        }
        return workload
    }

    /// Lets the workload write by a further strategy, in rows of their own.
    ///
    /// - Parameters:
    ///   - strategy: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What the strategy does, in a line.
    ///   - repeats: Whether two runs of one build count the same writes and allocations.
    ///   - write: Makes the changes of `--batch-size` operations durable, as
    ///     ``BenchmarkWriteStrategy/init(_:_:repeats:write:)`` takes it.
    public func writing(
        by strategy: String, _ summary: String, repeats: Bool = true,
        write: @escaping BenchmarkWriteStrategy.Write
    ) -> BenchmarkWorkload {
        var workload = self
        if case .writes(let change, let strategies, let check) = work {
            let own = BenchmarkWriteStrategy(strategy, summary, repeats: repeats, write: write)
            workload.work = .writes(change, strategies + [own], check)
        } else {
            workload.mistake = "The workload '\(name)' needs reading(by:), not writing(by:)."
        }
        return workload
    }
}
