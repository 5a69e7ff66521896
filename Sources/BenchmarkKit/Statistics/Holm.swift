/// Holm's step-down correction for testing many hypotheses at once.
enum Holm {
    /// Adjusted p values in the order of `p`: below a level exactly where Holm's procedure rejects
    /// at that level.
    static func adjusted(_ p: [Double]) -> [Double] {
        var adjusted = p
        var highest = 0.0
        for (step, index) in p.indices.sorted(by: { p[$0] < p[$1] }).enumerated() {
            highest = max(highest, min(1, p[index] * Double(p.count - step)))
            adjusted[index] = highest
        }
        return adjusted
    }
}
