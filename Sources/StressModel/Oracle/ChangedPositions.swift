/// The positions of a change of a collection, as observers are told them.
package struct ChangedPositions: Sendable, CustomStringConvertible {
    /// In the collection before the change.
    package var deletions: [Int]
    /// In the collection after the change.
    package var insertions: [Int]
    /// In the collection before the change.
    package var modifications: [Int]

    package init(deletions: [Int], insertions: [Int], modifications: [Int]) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    package var description: String { "-\(deletions) +\(insertions) ~\(modifications)" }

    /// Returns what is wrong with the positions; nil if nothing is.
    package func fault(oldCount: Int, newCount: Int) -> String? {
        if deletions.isEmpty && insertions.isEmpty && modifications.isEmpty { return "is empty" }
        for positions in [deletions, insertions, modifications]
        where positions != Set(positions).sorted() { return "is not sorted" }
        let old = deletions + modifications
        if old.contains(where: { $0 < 0 || $0 >= oldCount }) { return "is outside of \(oldCount)" }
        if insertions.contains(where: { $0 < 0 || $0 >= newCount }) {
            return "is outside of \(newCount)"
        }
        if !Set(deletions).isDisjoint(with: modifications) { return "modifies what it deletes" }
        if oldCount - deletions.count + insertions.count != newCount {
            return "does not lead from \(oldCount) to \(newCount) elements"
        }
        return nil
    }
}
