extension Pager {
    /// Compares the free map with the pages that the newest version reaches, and returns problems
    /// in words. In a write transaction.
    func spaceProblems(reached: ExtentSet) -> [String] {
        var problems: [String] = []
        var known = reached
        func add(_ extent: Extent, _ what: String) {
            if !extent.isEmpty, !known.insert(extent) {
                problems.append("Pages \(extent.start)..<\(extent.end) are \(what) and in use.")
            }
        }
        let space = writing.map.space
        for extent in space.free { add(extent, "free") }
        add(space.current, "free")
        for extent in space.waitingExtents { add(extent, "waiting to be free") }
        if let record,
            let chain = try? CheckpointChain(
                newest: record.checkpoint, of: record.bounds, in: file)
        {
            for link in chain.links {
                let run = Extent(start: link.reference.page, count: link.pageCount)
                add(run, "the free map's")
            }
        }
        if let record {
            add(record.ring.extensionExtent, "commit slots")
            for page in record.chain.entries.map(\.page) + [record.place.page] where page != 0 {
                add(Extent(start: page, count: 1), "a commit record's")
            }
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
