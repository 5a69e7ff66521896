extension Pager {
    /// Compares the free map with what the newest version reaches. Called with the write lock held.
    func spaceProblems(reached: ExtentSet) -> [String] {
        guard let space = database.writerState.freeSpace else { return [] }
        var known = reached
        var problems: [String] = []
        func add(_ extent: Extent, _ what: String) {
            if !extent.isEmpty, !known.insert(extent) {
                problems.append("Pages \(extent.start)..<\(extent.end) are \(what) and in use.")
            }
        }
        for extent in space.free { add(extent, "free") }
        add(space.current, "free")
        for group in space.waitingGroups {
            for extent in group.extents { add(extent, "waiting to be free") }
        }
        if let record, !record.checkpoint.isNone,
            let start = try? file.page(record.checkpoint, version: record.version)
        {
            let pages = UInt64(PageHeader(start).pageCount)
            add(Extent(start: record.checkpoint.page, count: pages), "the free map's")
        }
        var expected = file.header.firstPage
        for extent in known {
            if extent.start != expected {
                problems.append("Pages \(expected)..<\(extent.start) are neither in use nor free.")
            }
            expected = extent.end
        }
        if expected != space.pageCount {
            problems.append("Pages \(expected)..<\(space.pageCount) are neither in use nor free.")
        }
        return problems
    }
}
