import StorageEngine

/// What the user asks of an import.
struct ImportOptions {
    /// The class; nil if each record names its own (`$class`).
    var className: String?
    var delimiter = UInt8(ascii: ",")
    /// The properties of the fields, for CSV without a header.
    var columns: [String]?
    /// The property that each column or member is for. The others are left out. Nil where they
    /// have the names of their properties.
    var mapping: [String: String]?
    var existing = ExistingPolicy.fail
    var leavesOutMissingLinks = false
    var ignoresUnknown = false
    /// What numbers in properties that hold dates are, in rows of SQLite; nil for a mistake.
    var dates: NumberedDates?
    /// The number of records of a transaction; nil for one transaction.
    var batch: Int?
    /// The number of records to pass over.
    var skip = 0
    /// Classes that are made if the file lacks them.
    var newClasses: [TableDefinition] = []
    /// The version of the schema of a file that has none yet.
    var schemaVersion: UInt64 = 0
    var hints = ImportHints()

    /// The name of the property for a column or member; nil if it is left out.
    func property(for name: String) -> String? { mapping.map { $0[name] } ?? name }
}

/// How many objects an import has made.
struct ImportCounts: Equatable {
    /// The records read, including those that were passed over.
    var records = 0
    var inserted = 0
    var updated = 0
    var skipped = 0
    var batches = 0
    /// Links that led nowhere and were left out with their place.
    var postponed = 0
}
