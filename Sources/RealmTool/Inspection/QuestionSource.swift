import RealmSwift
import StorageEngine

/// What a program with classes of its own asks the same with, in Swift.
public struct QuestionSource: Encodable, Equatable, Sendable {
    /// `realm.objects(Person.self).where { $0.age > 30 }`
    public let text: String
    /// Why the predicate is a text in it, as a sentence; nil if it has a typed form.
    public let problem: String?
}

extension InspectedVersion {
    /// The question in Swift, with the classes of ``swiftSource()``.
    ///
    /// - Throws: ``PredicateProblem``.
    public func source(of question: Question) throws -> QuestionSource {
        try read { connection in
            // Finds the mistakes.
            let table = try table(question.className, connection)
            _ = try selection(question, table, connection)
            let definitions = try connection.tableDefinitions()
            let classes = SwiftSource(definitions)
            var text = "realm.objects(\(classes.className(question.className)).self)"
            var problem: String?
            if let predicate = question.predicate {
                let typed = TypedSource(definitions) { classes.memberName($1, of: $0) }
                do {
                    let condition = try typed.condition(predicate, on: question.className)
                    text += ".where { \(condition) }"
                } catch let missing as TypedSource.Missing {
                    text += ".filter(\(TypedSource.literal(predicate)))"
                    problem = missing.reason
                }
            }
            if let order = question.order {
                let descends = order.hasSuffix(":desc")
                let name = descends ? String(order.dropLast(5)) : order
                let member = classes.memberName(name, of: question.className)
                text += ".sorted(byKeyPath: \(TypedSource.literal(member))"
                text += descends ? ", ascending: false)" : ")"
            }
            return QuestionSource(text: text, problem: problem)
        }
    }
}
