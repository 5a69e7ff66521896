/// The step-down correction for multiple tests (Holm, 1979).
enum Holm {
    /// Returns the adjusted p values in the order of `p`. A value is below a level exactly if
    /// Holm's procedure rejects the hypothesis at that level.
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
