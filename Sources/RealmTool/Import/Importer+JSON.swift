import StorageEngine
import ToolSupport

/// Importing JSON lines and arrays.
extension Importer {
    func importJSON(_ input: InputBuffer) throws {
        let records = JSONRecords(input)
        do {
            while try records.next() {
                if counts.records < options.skip {
                    counts.records += 1
                    continue
                }
                try read(records)
            }
        } catch let problem as DataProblem {
            throw PlacedProblem(
                problem, input.name, line: records.line, column: records.column,
                record: records.record)
        } catch let error as StorageError where error.isOfRecord {
            throw PlacedProblem(
                DataProblem(error.message, at: nil), input.name, line: records.line,
                record: records.record)
        }
    }

    private func read(_ records: JSONRecords) throws {
        var scanner = JSONScanner(records.record, memory: memory)
        try scanner.expect("{", "at the beginning of an object")
        var builder = try options.className.map { try self.builder($0, at: nil) }
        builder?.begin()
        var next = 0
        if !scanner.take("}") {
            repeat {
                let name = try scanner.name()
                if try readSpecial(name, &scanner, &builder) { continue }
                guard let builder else {
                    throw DataProblem(
                        "The first member of each object is its class, "
                            + "{\"$class\": \"Dog\", …}, unless the command names one.",
                        at: name.offset)
                }
                try readMember(name, &scanner, builder, &next)
            } while scanner.take(",")
            try scanner.expect("}", "after a member")
        }
        try scanner.requireEnd()
        guard let builder else {
            throw DataProblem("The object does not name its class, {\"$class\": \"Dog\"}.", at: nil)
        }
        try store(builder, line: records.line)
    }

    /// Reads `$class` and `$key`. Returns false for any other name.
    private func readSpecial(
        _ name: ValueToken, _ scanner: inout JSONScanner, _ builder: inout RowBuilder?
    ) throws -> Bool {
        guard name.bytes.first == UInt8(ascii: "$") else { return false }
        let offset = scanner.place
        switch String(decoding: name.bytes, as: UTF8.self) {
        case "$class":
            guard let token = try scanner.token(), token.kind == .string else {
                throw DataProblem("'$class' is the name of a class.", at: offset)
            }
            let className = String(decoding: token.bytes, as: UTF8.self)
            if let given = options.className, given != className {
                throw DataProblem(
                    "The object is of '\(className)', but the command imports '\(given)'.",
                    at: offset)
            }
            builder = try self.builder(className, at: offset)
            builder?.begin()
        case "$key":
            guard let token = try scanner.token(), token.kind == .number, let builder,
                let key = NumberText.integer(token.bytes)
            else { throw DataProblem("'$key' is an integer, after the class.", at: offset) }
            builder.exportedKey = key
        default: return false
        }
        return true
    }

    private func readMember(
        _ name: ValueToken, _ scanner: inout JSONScanner, _ builder: RowBuilder, _ next: inout Int
    ) throws {
        guard let column = column(name.bytes, builder, &next) else {
            guard options.ignoresUnknown || options.mapping != nil else {
                throw DataProblem(
                    CSVHeader.unknown(
                        String(decoding: name.bytes, as: UTF8.self), builder.definition),
                    at: name.offset)
            }
            _ = try scanner.node()
            return
        }
        if builder.isGiven(column) {
            throw DataProblem("The member occurs twice.", at: name.offset)
        }
        if let token = try scanner.token() {
            try builder.set(column, to: token)
        } else {
            try builder.set(column, to: scanner.node())
        }
    }

    /// The property with a name. Members mostly come in the order of the properties.
    @inline(__always)
    private func column(
        _ name: UnsafeRawBufferPointer, _ builder: RowBuilder, _ next: inout Int
    ) -> Int? {
        if let mapping = options.mapping {
            return mapping[String(decoding: name, as: UTF8.self)].flatMap { property in
                builder.names.firstIndex { $0.elementsEqual(property.utf8) }
            }
        }
        if next < builder.names.count, name.elementsEqual(builder.names[next]) {
            next += 1
            return next - 1
        }
        guard let column = builder.names.firstIndex(where: { name.elementsEqual($0) }) else {
            return nil
        }
        next = column + 1
        return column
    }
}
