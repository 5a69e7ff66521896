import RealmSwift

/// An article, in an edition or on the desk.
final class Article: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var section: String
    @Persisted var headline: String
    @Persisted var text: String
}

/// What a reader did with an article. It lies in another file than the article, and a link cannot
/// leave its file: so it has the article's key.
final class Mark: Object {
    @Persisted(primaryKey: true) var article: Int
    @Persisted var isRead: Bool
    @Persisted var isKept: Bool
}
