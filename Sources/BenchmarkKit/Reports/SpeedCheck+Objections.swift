import ToolSupport

/// What a row needs for a verdict. Costs that occur once, such as the first pages of a file, decide
/// the figures of few objects and operations; other work on the machine decides the times.
extension SpeedCheck {
    /// The fewest objects of a check of what an object takes or how soon many are done with.
    static let fewestObjects = 100_000
    /// The fewest operations behind a median or a rate of single operations.
    static let fewestOperations = 100
    /// The load of others, in cores, above which times are not judged.
    static let mostOtherLoad = 0.2
    /// How much faster than the same writes without a database a row may seem. The two are measured
    /// in turns, and the disk changes its speed in between.
    static let mostOfControl = 1.1

    /// Returns why a row has no verdict; nil if it has one.
    static func objection(
        to row: CaseResult, objects: Int = 0, operations: Int = 0, isTimed: Bool = true
    ) -> String? {
        if row.identifier.size < objects {
            return "needs \(Display.grouped(objects)) objects"
        }
        if row.operations < operations {
            return "needs \(Display.grouped(operations)) operations"
        }
        if isTimed, let load = row.measure("other_load_cores"), load > mostOtherLoad {
            return "others kept \(Display.number(load)) cores busy"
        }
        return nil
    }
}
