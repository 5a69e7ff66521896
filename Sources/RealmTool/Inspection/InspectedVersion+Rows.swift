import RealmSwift
import StorageEngine
import ToolSupport

extension InspectedVersion {
    /// The most rows or elements of one answer.
    public static let mostRows = 500
    /// Up to this position, the first objects are found without sorting or keeping all.
    private static let fewRows = 200

    /// Some rows of a table, from a position on, with the number of all.
    ///
    /// - Parameters:
    ///   - former: a version: the answer says which of the objects that has not.
    ///   - stop: ends it with a `StorageError` of the code `.interrupted`.
    public func rows(
        _ question: Question, from: Int, count: Int, insertedSince former: InspectedVersion? = nil,
        until stop: StopRequest? = nil
    ) throws -> [UInt8] {
        let start = monotonicNanoseconds()
        let first = max(0, from)
        let last = first + min(max(0, count), Self.mostRows)
        return try read(until: stop) { connection in
            let table = try table(question.className, connection)
            let rows = try find(question, upTo: last, in: table, connection)
            let range = min(first, rows.count)..<min(last, rows.count)
            let output = ByteOutput(capacity: 1 << 14)
            output.append("{")
            output.member("version", number)
            output.member("count", rows.count)
            output.member("from", range.lowerBound)
            output.member("rows")
            output.append("[")
            let cells = CellWriter(ObjectText(connection))
            var keys: [ObjectKey] = []
            for position in range {
                guard let location = try rows.location(at: position, in: table) else { continue }
                keys.append(table.key(at: location))
                output.separate()
                try cells.append(object: location, of: table, to: output)
            }
            output.append("]")
            if let former {
                output.member("inserted")
                output.append("[")
                for key in try former.missing(keys, of: question.className) {
                    output.separate()
                    output.append(text: "\"\(key.rawValue)\"")
                }
                output.append("]")
            }
            output.member("seconds")
            NumberText.append(seconds(from: start, to: monotonicNanoseconds()), to: output)
            output.append("}")
            return output.contents
        }
    }

    /// Those of some keys that no object has.
    private func missing(_ keys: [ObjectKey], of className: String) throws -> [ObjectKey] {
        try read { connection in
            guard let table = try connection.table(named: className) else { return keys }
            return try keys.filter { try !table.contains($0) }
        }
    }

    func find(
        _ question: Question, upTo end: Int, in table: Table, _ connection: Connection
    ) throws -> FoundRows {
        if question.predicate == nil, question.order == nil { return .all(try table.count()) }
        if let keys = found.withLock({ $0.keys(for: question) }) { return .keys(keys) }
        let selection = try selection(question, table, connection)
        if end <= Self.fewRows {
            let keys = try selection.keys(limit: max(1, end)) ?? []
            // Fewer than were asked for are all of them.
            let count = keys.count < max(1, end) ? keys.count : try selection.count()
            return .first(keys, of: count)
        }
        let keys = PackedKeys(try selection.keys(limit: .max) ?? [])
        found.withLock { $0.keep(keys, for: question) }
        return .keys(keys)
    }

    func selection(
        _ question: Question, _ table: Table, _ connection: Connection
    ) throws -> Selection {
        try Selection(
            RealmFile(path: connection.database.path, connection: connection), table,
            predicate: question.predicate, sort: question.order.map { [$0] } ?? [])
    }

    /// Whether rows can be answered without searching or sorting.
    public func needsNoSearch(_ question: Question) -> Bool {
        if question.predicate == nil, question.order == nil { return true }
        return found.withLock { $0.keys(for: question) } != nil
    }

    /// How the engine finds the objects, as text of several lines, and what it reads for that.
    public func explain(_ question: Question, until stop: StopRequest? = nil) throws -> String {
        try read(until: stop) { connection in
            let table = try table(question.className, connection)
            return try selection(question, table, connection).explain()
        }
    }

    /// The position of an object among all of its class; nil if it does not exist.
    public func position(of key: Int64, in className: String) throws -> Int? {
        try read { try table(className, $0).position(of: ObjectKey(rawValue: key)) }
    }
}
