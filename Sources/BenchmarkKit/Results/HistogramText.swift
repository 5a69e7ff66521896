import Foundation

/// The percentile text format of HdrHistogram (`.hgrm`), in microseconds, for its plotter.
enum HistogramText {
    static func text(of data: HistogramData) -> String {
        var text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
        let total = Double(data.totalCount)
        var level = 0.0
        var counted: UInt64 = 0
        for (nanoseconds, count) in data.pairs {
            counted += count
            let reached = Double(counted) / total
            while level <= reached, reached < 1 {
                text += line(nanoseconds / 1000, level, counted)
                level = next(after: level)
            }
        }
        if let longest = data.nanoseconds.last { text += line(longest / 1000, 1, counted) }
        let (mean, deviation) = moments(of: data, total)
        text += String(
            format: "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", mean / 1000,
            deviation / 1000)
        text += String(
            format: "#[Max     = %12.6f, Total count    = %12d]\n",
            (data.nanoseconds.last ?? 0) / 1000, Int(counted))
        return text
    }

    private static func line(_ microseconds: Double, _ level: Double, _ count: UInt64) -> String {
        let text = String(format: "%12.6f %2.12f %10d", microseconds, level, Int(count))
        return text + (level < 1 ? String(format: " %14.2f\n", 1 / (1 - level)) : "\n")
    }

    /// Returns the next level: five steps halve the distance to 1, as in HdrHistogram.
    private static func next(after level: Double) -> Double {
        let halvings = Foundation.log2(1 / (1 - level)).rounded(.down) + 1
        return level + 1 / (5 * Foundation.pow(2, halvings))
    }

    private static func moments(of data: HistogramData, _ total: Double) -> (Double, Double) {
        guard total > 0 else { return (0, 0) }
        let mean = data.pairs.reduce(0) { $0 + $1.nanoseconds * Double($1.count) } / total
        let variance =
            data.pairs.reduce(0) {
                $0 + ($1.nanoseconds - mean) * ($1.nanoseconds - mean) * Double($1.count)
            } / total
        return (mean, variance.squareRoot())
    }

    struct Percentile: Equatable {
        var microseconds: Double
        /// The level from 0 to 1.
        var level: Double
    }

    /// Parses the output of ``text(of:)`` and skips lines that are not percentiles.
    static func percentiles(in text: String) -> [Percentile] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 3 || fields.count == 4, let value = Double(fields[0]),
                let level = Double(fields[1])
            else { return nil }
            return Percentile(microseconds: value, level: level)
        }
    }
}
