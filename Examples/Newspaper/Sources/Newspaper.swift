import Foundation
import RealmSwift

let usage = """
    Usage: newspaper press ARTICLES.txt EDITION        make an edition of a text
           newspaper list EDITION SHELF                its articles: * read, + kept
           newspaper read EDITION SHELF NUMBER         show an article
           newspaper keep EDITION SHELF NUMBER         keep an article
           newspaper kept EDITION SHELF                the articles that are kept
           newspaper desk EDITION DESK                 correct headlines in a copy of the edition:
                                                       lines of NUMBER HEADLINE
    """

@main
struct Newspaper {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            fflush(nil)
            FileHandle.standardError.write(Data("newspaper: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("press", 3):
            let text = try String(contentsOfFile: arguments[1], encoding: .utf8)
            try press(articles(in: text), to: arguments[2])
        case ("list", 3): list(try Reader(edition: arguments[1], shelf: arguments[2]))
        case ("read", 4):
            guard let number = Int(arguments[3]) else { return stopWithUsage() }
            show(try Reader(edition: arguments[1], shelf: arguments[2]).read(number))
        case ("keep", 4):
            guard let number = Int(arguments[3]) else { return stopWithUsage() }
            try Reader(edition: arguments[1], shelf: arguments[2]).keep(number)
        case ("kept", 3):
            for article in try Reader(edition: arguments[1], shelf: arguments[2]).keptArticles {
                print("\(article.number) \(article.headline)")
            }
        case ("desk", 3): try correct(Desk(arguments[2], edition: arguments[1]))
        default: stopWithUsage()
        }
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}

func list(_ reader: Reader) {
    for article in reader.articles {
        let mark = reader.mark(of: article)
        let signs = (mark?.isRead == true ? "*" : " ") + (mark?.isKept == true ? "+" : " ")
        print("\(signs) \(article.number) \(article.section): \(article.headline)")
    }
}

func show(_ article: Article) {
    print("\(article.headline)\n")
    for line in wrap(article.text, width: 60) { print(line) }
}

func correct(_ desk: Desk) throws {
    defer { desk.close() }
    desk.printPage()
    while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let number = Int(words[0]) else {
            throw Refusal(description: "'\(line)' is not 'NUMBER HEADLINE'.")
        }
        try desk.correct(number, to: String(words[1]))
    }
}
