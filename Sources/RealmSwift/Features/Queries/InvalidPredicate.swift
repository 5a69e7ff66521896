/// An error that explains why a predicate is invalid.
///
/// The parser and the check of names and types throw it. Interfaces that cannot throw, such as
/// `filter`, stop the program with its description.
struct InvalidPredicate: Error, CustomStringConvertible {
    /// The reason, in the documented words where there are any.
    let message: String
    /// The predicate as it was given; empty if it was not given as a string.
    let format: String
    /// The position of the error, in Unicode scalars from the beginning of `format`.
    let position: Int

    /// The message, followed by the predicate or an excerpt of it, and the position in it.
    var description: String {
        format.isEmpty
            ? message : "\(message) (at character \(position + 1) of \"\(excerpt)\")"
    }

    private var excerpt: String {
        let scalars = Array(format.unicodeScalars)
        let reach = 60
        let first = position > reach ? position - reach : 0
        let last = min(scalars.count, position + reach)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[min(first, last)..<last])
        return (first > 0 ? "…" : "") + String(text) + (last < scalars.count ? "…" : "")
    }
}
