import Foundation
import RealmSwift

/// What cannot be done.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// The articles of a text: for each a line with section and headline, lines with its text, and an
/// empty line.
func articles(in text: String) throws -> [Article] {
    var articles: [Article] = []
    for block in text.split(separator: "\n\n") {
        let lines = block.split(separator: "\n")
        let title = lines[0].split(separator: ": ", maxSplits: 1)
        guard title.count == 2 else {
            throw Refusal(description: "'\(lines[0])' is not 'SECTION: HEADLINE'.")
        }
        articles.append(
            Article(value: [
                "number": articles.count + 1, "section": String(title[0]),
                "headline": String(title[1]),
                "text": lines.dropFirst().joined(separator: " "),
            ]))
    }
    return articles
}

/// Makes an edition: the file that comes with an application, and that nobody changes.
///
/// The articles are collected in memory. The copy is packed, and has no other files beside it.
func press(_ articles: [Article], to edition: String) throws {
    let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "press", objectTypes: [Article.self]))
    try realm.write { realm.add(articles) }
    try realm.writeCopy(toFile: URL(fileURLWithPath: edition))
}
