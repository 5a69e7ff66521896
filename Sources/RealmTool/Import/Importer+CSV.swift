import StorageEngine
import ToolSupport

/// Importing comma-separated values.
extension Importer {
    func importCSV(_ input: InputBuffer) throws {
        let records = try CSVRecords(input, delimiter: options.delimiter, memory: memory)
        try placing(records, input.name) {
            guard let className = options.className else {
                throw ToolError(.usage, "CSV needs the name of a class.")
            }
            let builder = try builder(className, at: nil)
            guard let header = try header(of: records, builder) else { return }
            while try records.next() {
                if records.isBlank, header.columns.count > 1 {
                    throw DataProblem("The line is empty.", at: nil)
                }
                if counts.records < options.skip {
                    counts.records += 1
                    continue
                }
                try read(records, header, builder)
            }
        }
    }

    private func read(
        _ records: CSVRecords, _ header: CSVHeader, _ builder: RowBuilder
    ) throws {
        guard records.fieldCount == header.columns.count else {
            throw DataProblem(
                "The record has \(records.fieldCount) fields instead of "
                    + "\(header.columns.count).", at: nil)
        }
        builder.begin()
        for index in 0..<records.fieldCount {
            switch header.columns[index] {
            case .property(let column): try builder.set(column, to: records.field(index))
            case .exportedKey:
                builder.exportedKey = NumberText.integer(records.field(index).bytes)
            case .ignored: break
            }
        }
        try store(builder, line: records.line)
    }

    private func header(of records: CSVRecords, _ builder: RowBuilder) throws -> CSVHeader? {
        if let columns = options.columns {
            return try CSVHeader(columns, builder.definition, options)
        }
        guard try records.next() else {
            throw DataProblem("The input is empty. Its first record names the properties.", at: nil)
        }
        let names = (0..<records.fieldCount).map(records.text)
        return try CSVHeader(names, builder.definition, options)
    }

    /// Runs `body` and adds the place to what it finds wrong.
    private func placing(
        _ records: CSVRecords, _ name: String, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let problem as DataProblem {
            throw PlacedProblem(problem, name, line: records.line, record: records.record)
        } catch let error as StorageError where error.isOfRecord {
            throw PlacedProblem(
                DataProblem(error.message, at: nil), name, line: records.line,
                record: records.record)
        }
    }
}
