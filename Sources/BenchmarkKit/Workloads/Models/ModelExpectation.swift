import StorageEngine
import ToolSupport

/// The contents that a model's workload has left: the number of objects of each class, and their
/// digest.
struct ModelExpectation: ContentsExpectation {
    struct Contents: Codable, Equatable {
        var table: String
        var columns: Int
        var objects: Int
        var digest: String
    }

    var path: String
    var classes: [Contents]

    /// Creates the contents that writers have left together.
    init(path: String, _ model: ModelDescription, _ writers: [[ModelObjects]]) {
        self.path = path
        classes = model.classes.indices.map { index in
            var digest = ResultDigest()
            for objects in writers { digest.add(objects[index].digest()) }
            return Contents(
                table: model.classes[index].name, columns: model.classes[index].properties.count,
                objects: writers.map { $0[index].count }.reduce(0, +), digest: digest.text)
        }
    }

    /// The digest of all classes.
    var digest: String {
        var digest = ResultDigest()
        for contents in classes {
            var row = ResultDigest.Row()
            row.combine(contents.table.utf8)
            row.combine(contents.objects)
            row.combine(contents.digest.utf8)
            digest.add(row)
        }
        return digest.text
    }

    func problems() throws -> [String] {
        let connection = try Connection(Database.open(path: path, options: .ofCase))
        var problems = try connection.verify()
        for contents in classes {
            guard let table = try connection.table(named: contents.table) else {
                problems.append("The file has no table '\(contents.table)'.")
                continue
            }
            let count = try table.count()
            if count != contents.objects {
                problems.append(
                    "The file has \(count) objects of '\(contents.table)' instead of "
                        + "\(contents.objects).")
            }
            var digest = ResultDigest()
            try table.forEachLeaf(keepsLeaves: false) { leaf, _ throws(StorageError) in
                for row in 0..<leaf.rowCount {
                    var found = ResultDigest.Row()
                    for column in 0..<contents.columns {
                        found.combine(
                            try table.value(column, at: RowLocation(leaf: leaf, row: row)))
                    }
                    digest.add(found)
                }
                return true
            }
            if digest.text != contents.digest {
                problems.append(
                    "The objects of '\(contents.table)' are not those that were written.")
            }
        }
        return problems
    }
}
