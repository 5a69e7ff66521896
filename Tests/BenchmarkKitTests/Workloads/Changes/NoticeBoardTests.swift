import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct NoticeBoardTests {
    private func expected(age: Int, changes: ClosedRange<Int> = 1...1) -> NoticeBoard.Expected {
        NoticeBoard.Expected(numbers: 4..<6, age: age, changes: changes)
    }

    @Test func aCommitIsToldOnceAllObserversHaveSeenIt() throws {
        let board = NoticeBoard(observers: 2)
        board.expect(expected(age: 30))
        #expect(board.numbers == 4..<6)
        board.tell(PersonNews(time: 10, age: 30, changes: 1), observer: 1)
        var turns = 0
        let times = try board.wait {
            turns += 1
            board.tell(PersonNews(time: 25, age: 30), observer: 0)
        }
        #expect(turns == 1)
        #expect((times.first, times.last) == (10, 25))
    }

    @Test func anObserverThatIsCalledTwiceCountsOnce() throws {
        let board = NoticeBoard(observers: 2)
        board.expect(nil)
        board.tell(PersonNews(time: 10, age: nil), observer: 0)
        board.tell(PersonNews(time: 11, age: nil), observer: 0)
        var turns = 0
        _ = try board.wait {
            turns += 1
            board.tell(PersonNews(time: 12, age: nil), observer: 1)
        }
        #expect(turns == 1)
    }

    @Test(arguments: [
        PersonNews(time: 1, age: 29, changes: 1), PersonNews(time: 1, age: 30, changes: 2),
        PersonNews(time: 1, age: nil),
    ])
    func whatIsNotOfTheCommitIsAFailure(news: PersonNews) {
        let board = NoticeBoard(observers: 1)
        board.beStrict()
        board.expect(expected(age: 30))
        board.tell(news, observer: 0)
        #expect(throws: BenchmarkError.self) { try board.wait() }
    }

    @Test func whatIsNotOfTheCommitIsPassedOverBeforeMeasuring() throws {
        let board = NoticeBoard(observers: 1)
        board.expect(expected(age: 30))
        board.tell(PersonNews(time: 1, age: 29), observer: 0)
        board.tell(PersonNews(time: 2, age: 30), observer: 0)
        #expect(try board.wait().first == 2)
    }

    @Test func anObserverThatIsGoneEndsTheWaiting() {
        let board = NoticeBoard(observers: 1)
        board.expect(nil)
        board.fail("It is gone.")
        #expect(throws: BenchmarkError.self) { try board.wait() }
    }
}
