import StorageEngine

/// Where the pages of a version are in the file, and what they are used for.
///
/// A picture has a bounded number of cells. Each stands for as many pages, and shows what most of
/// them are used for.
struct PagePicture {
    static let mostCells = 4096

    /// What pages are used for, in the order in which the walk came to it.
    private(set) var uses: [PageUse] = []
    /// The pages of each use.
    private(set) var pages: [UInt64] = []
    let pagesPerCell: UInt64
    private var numbers: [PageUse: Int] = [:]
    /// The pages of each use in each cell.
    private var cells: [[Int: UInt64]]

    init(pageCount: UInt64) {
        let all = max(1, pageCount)
        pagesPerCell = (all + UInt64(Self.mostCells) - 1) / UInt64(Self.mostCells)
        cells = Array(repeating: [:], count: Int((all + pagesPerCell - 1) / pagesPerCell))
    }

    mutating func add(_ use: PageUse, _ start: UInt64, _ count: UInt64) {
        let number: Int
        if let known = numbers[use] {
            number = known
        } else {
            number = uses.count
            numbers[use] = number
            uses.append(use)
            pages.append(0)
        }
        pages[number] += count
        var page = start
        let (end, _) = start.addingReportingOverflow(count)
        while page < end {
            let cell = Int(page / pagesPerCell)
            // In a malicious file, pages may lie beyond its end.
            guard cell < cells.count else { return }
            let next = min(end, UInt64(cell + 1) * pagesPerCell)
            cells[cell][number, default: 0] += next - page
            page = next
        }
    }

    /// The use of each cell; -1 where most pages are of no use for this version.
    var main: [Int] {
        cells.map { uses in
            let used = uses.values.reduce(0, +)
            guard let most = uses.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
                most.value >= pagesPerCell - min(used, pagesPerCell)
            else { return -1 }
            return most.key
        }
    }
}
