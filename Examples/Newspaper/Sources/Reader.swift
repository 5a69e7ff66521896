import Foundation
import RealmSwift

/// A reader with an edition, which cannot be written, and a shelf, which is the reader's own.
///
/// Both are open at the same time. Each names its classes, otherwise both would have all of them.
struct Reader {
    private let edition: Realm
    private let shelf: Realm

    init(edition: String, shelf: String) throws {
        self.edition = try openEdition(edition)
        self.shelf = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: shelf), objectTypes: [Mark.self]))
    }

    var articles: Results<Article> { edition.objects(Article.self).sorted(by: \.number) }

    /// The articles that are kept: a question to one file with the answer of the other.
    var keptArticles: Results<Article> {
        let kept = shelf.objects(Mark.self).where { $0.isKept }
        return articles.where { $0.number.in(kept.map(\.article)) }
    }

    func mark(of article: Article) -> Mark? {
        shelf.object(ofType: Mark.self, forPrimaryKey: article.number)
    }

    /// Returns an article, and marks it as read.
    func read(_ number: Int) throws -> Article {
        let article = try article(number)
        try mark(["article": number, "isRead": true])
        return article
    }

    func keep(_ number: Int) throws {
        _ = try article(number)
        try mark(["article": number, "isKept": true])
    }

    /// Updates what is given of a mark, and creates it if there is none.
    private func mark(_ values: [String: Any]) throws {
        try shelf.write { shelf.create(Mark.self, value: values, update: .modified) }
    }

    private func article(_ number: Int) throws -> Article {
        guard let article = edition.object(ofType: Article.self, forPrimaryKey: number) else {
            throw Refusal(description: "There is no article \(number).")
        }
        return article
    }
}

/// Opens an edition. Read-only: it is not created if it is missing, and a write would stop the
/// program.
func openEdition(_ path: String) throws -> Realm {
    do {
        return try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path), readOnly: true, objectTypes: [Article.self]))
    } catch Realm.Error.fileNotFound {
        throw Refusal(description: "There is no edition '\(path)'.")
    }
}
