/// A part of the file in which recovery looks for records among the pages.
struct RecordWindow: Equatable, Sendable {
    static let none = RecordWindow(start: 0)
    /// 2 MiB: room for some dozens of commits, and read in about a millisecond.
    static let pageCount: UInt64 = 512

    /// Its first page; 0 where there is no window.
    var start: UInt64

    func contains(_ page: UInt64) -> Bool {
        start != 0 && page >= start && page < start + Self.pageCount
    }

    /// Whether at least a quarter of it lies behind a page.
    func hasRoom(behind page: UInt64) -> Bool {
        contains(page) && page < start + Self.pageCount * 3 / 4
    }
}

/// The records among the pages that are still needed: those since the last one that is in its slot
/// and came with a checkpoint of the free map.
///
/// Recovery finds them in windows that records in slots name (``RecordWindow``). Their pages are in
/// use like others, until the transaction after the next such checkpoint frees them.
struct RecordChain: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var sequence: UInt64
        /// The version that it made durable: the birth of its page.
        var version: UInt64
        var page: UInt64
    }

    /// Bytes that one entry may take in a record.
    static let maximumEntrySize = 12
    /// Upper bounds for an entry of that size: six bytes for the page, four for the age in
    /// versions, and one for the age in records. Beyond these bounds, records are in slots.
    private static let maximumPage: UInt64 = 1 << 42
    private static let maximumAge: UInt64 = 1 << 27

    /// Ascending by numbers and versions.
    private(set) var entries: [Entry] = []

    var maximumByteCount: Int { entries.count * Self.maximumEntrySize }

    init() {}

    func place(of sequence: UInt64) -> RecordPlace? {
        entries.last { $0.sequence == sequence }.map { .page($0.page) }
    }

    func adding(_ entry: Entry) -> RecordChain {
        var chain = RecordChain()
        chain.entries.reserveCapacity(entries.count + 1)
        chain.entries += entries
        chain.entries.append(entry)
        return chain
    }

    /// Removes and returns the entries before a record, which are no longer needed.
    mutating func removeEntries(before sequence: UInt64) -> ArraySlice<Entry> {
        let end = entries.firstIndex { $0.sequence >= sequence } ?? entries.endIndex
        let removed = entries[..<end]
        entries.removeSubrange(..<end)
        return removed
    }

    /// Whether the record of `version`, the next one, may be at `page`. The record that names this
    /// chain may be among the pages too, so both need an entry.
    func hasRoom(for page: UInt64, version: UInt64) -> Bool {
        entries.count + 2 <= CommitRecord.chainCapacity && page < Self.maximumPage
            && version - (entries.first?.version ?? version) < Self.maximumAge
    }
}

// MARK: Bytes

extension RecordChain {
    /// Appends for each entry its age by number and by version, relative to the record that names
    /// it, and its page.
    func append(of record: CommitRecord, to bytes: inout [UInt8]) {
        for entry in entries {
            VariableLengthInteger.append(record.sequence - entry.sequence, to: &bytes)
            VariableLengthInteger.append(record.version - entry.version, to: &bytes)
            VariableLengthInteger.append(entry.page, to: &bytes)
        }
    }

    /// Reads `count` entries; nil where they contradict each other or the record.
    init?(
        count: UInt64, before sequence: UInt64, version: UInt64, within bounds: Range<UInt64>,
        from reader: inout VariableLengthIntegerReader
    ) {
        guard count <= CommitRecord.chainCapacity else { return nil }
        entries.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let age = reader.next(), let versionAge = reader.next(), let page = reader.next(),
                age >= 1, age < sequence, versionAge >= 1, versionAge < version,
                bounds.contains(page)
            else { return nil }
            let entry = Entry(sequence: sequence - age, version: version - versionAge, page: page)
            if let last = entries.last {
                guard last.sequence < entry.sequence, last.version < entry.version
                else { return nil }
            }
            entries.append(entry)
        }
    }
}
