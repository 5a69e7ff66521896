import Foundation
import RealmSwift
import Synchronization

/// The editor's desk: a file that begins as a copy of an edition. Headlines are corrected in it.
///
/// After each correction a page goes to the printer, which draws on a thread of its own and takes
/// its time. It gets frozen articles: they are those of the moment, whatever is corrected
/// meanwhile, and any thread may read them.
final class Desk {
    private let realm: Realm
    private let printer = DispatchQueue(label: "printer")
    private var pages = 0

    /// - Parameter edition: What the desk begins with. It is not looked at if there is a file at
    ///   `path`.
    init(_ path: String, edition: String) throws {
        do {
            realm = try Realm(
                configuration: .init(
                    fileURL: URL(fileURLWithPath: path), objectTypes: [Article.self],
                    seedFilePath: URL(fileURLWithPath: edition)))
        } catch Realm.Error.fileNotFound {
            throw Refusal(description: "There is no edition '\(edition)'.")
        }
    }

    /// Changes the headline of an article, and sends the page to the printer.
    func correct(_ number: Int, to headline: String) throws {
        guard let article = realm.object(ofType: Article.self, forPrimaryKey: number) else {
            throw Refusal(description: "There is no article \(number).")
        }
        try realm.write { article.headline = headline }
        printPage()
    }

    func printPage() {
        pages += 1
        let page = pages
        // Frozen, so any thread may use them. The compiler cannot know that.
        nonisolated(unsafe) let articles = realm.objects(Article.self).sorted(by: \.number).freeze()
        printer.async { print("Page \(page)\n\(drawPage(articles))") }
    }

    /// Waits until all pages are drawn.
    func close() { printer.sync {} }
}

/// Draws a page: a column for each section, beside each other.
///
/// - Parameter articles: Frozen, because each column is drawn by another thread.
func drawPage(_ articles: Results<Article>) -> String {
    let sections = Array(articles.distinct(by: [\.section]).map(\.section))
    nonisolated(unsafe) let articles = articles
    let columns = Columns(count: sections.count)
    DispatchQueue.concurrentPerform(iterations: sections.count) { column in
        let section = sections[column]
        var lines = [section.uppercased(), ""]
        for article in articles.where({ $0.section == section }) {
            lines += wrap(article.headline, width: Columns.width) + [""]
        }
        columns.set(lines, at: column)
    }
    return columns.text
}

/// Columns that several threads draw.
final class Columns: Sendable {
    static let width = 22
    private let lines: Mutex<[[String]]>

    init(count: Int) { lines = Mutex(Array(repeating: [], count: count)) }

    func set(_ column: [String], at position: Int) { lines.withLock { $0[position] = column } }

    /// The columns beside each other.
    var text: String {
        let columns = lines.withLock { $0 }
        let height = columns.map(\.count).max() ?? 0
        var text = ""
        for row in 0..<height {
            let cells = columns.map { column in
                (row < column.count ? column[row] : "")
                    .padding(toLength: Self.width, withPad: " ", startingAt: 0)
            }
            text += cells.joined(separator: " | ").trimmingTrailingSpaces + "\n"
        }
        return text
    }
}
