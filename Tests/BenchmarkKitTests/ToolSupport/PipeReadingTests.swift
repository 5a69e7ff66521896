import Foundation
import Glibc
import Testing
import ToolSupport

@Suite struct PipeReadingTests {
    @Test func aSignalDoesNotEndTheWaitingForBytes() throws {
        // Without SA_RESTART, and thus with EINTR from the call that waits.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGURG, &action, nil)
        defer { signal(SIGURG, SIG_DFL) }

        let pipe = Pipe()
        let reader = pthread_self()
        // Interrupts the thread of the test while that waits, then writes.
        let writer = BackgroundThread { [output = pipe.fileHandleForWriting] _ in
            for _ in 0..<20 {
                usleep(1_000)
                pthread_kill(reader, SIGURG)
            }
            try output.write(contentsOf: Data("late".utf8))
            try output.close()
        }
        #expect(pipe.remainingBytes() == Data("late".utf8))
        try writer.wait()
    }
}
