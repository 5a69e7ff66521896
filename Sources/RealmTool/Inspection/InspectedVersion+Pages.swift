import StorageEngine
import ToolSupport

extension InspectedVersion {
    /// Is told how many pages of about how many are done. It ends the work by throwing.
    public typealias Progress = (_ done: UInt64, _ all: UInt64) throws -> Void

    /// Reads and checks every page of the version. Returns the problems, and a picture of the file:
    /// what its pages are used for, and where they are.
    public func verify(progress: @escaping Progress) throws -> [UInt8] {
        try read { connection in
            let pageSize = try connection.database.statistics().pageSize
            let pageCount = try connection.database.fileSize / UInt64(pageSize)
            var picture = PagePicture(pageCount: pageCount)
            var failure: (any Error)?
            var problems: [String]
            do throws(StorageError) {
                problems = try connection.verify { done, all throws(StorageError) in
                    do { try progress(done, all) } catch {
                        failure = error
                        throw StorageError(
                            .interrupted, path: connection.database.path, message: "Cancelled.")
                    }
                } visit: {
                    picture.add($0, $1, $2)
                }
            } catch {
                if let failure { throw failure }
                guard error.code == .damaged else { throw error }
                problems = [error.message]
            }
            return try answer(picture, pageSize, pageCount, problems, connection)
        }
    }

    private func answer(
        _ picture: PagePicture, _ pageSize: Int, _ pageCount: UInt64, _ problems: [String],
        _ connection: Connection
    ) throws -> [UInt8] {
        let names = try connection.tableDefinitions().map(\.name)
        let output = ByteOutput()
        output.append("{")
        output.member("version", number)
        output.member("pageSize", pageSize)
        output.member("pageCount", pageCount)
        output.member("pagesPerCell", picture.pagesPerCell)
        output.member("problems")
        output.append("[")
        for problem in problems {
            output.separate()
            output.append(json: problem)
        }
        output.append("]")
        output.member("uses")
        output.append("[")
        for (use, pages) in zip(picture.uses, picture.pages) {
            output.separate()
            output.append("{")
            output.member(
                "class", use.table.flatMap { names.indices.contains($0) ? names[$0] : nil })
            output.member("part", use.part.rawValue)
            output.member("pages", pages)
            output.append("}")
        }
        output.append("]")
        output.member("cells")
        output.append(text: "\(picture.main)}")
        return output.contents
    }
}
