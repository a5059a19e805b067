import Foundation
import Testing

@Suite struct MarkAllocationTests {
    /// The test starts a separate process, which counts all its allocations.
    @Test func marksAskForNoMemoryNotEvenTheFirstOfAThread() throws {
        let probe = Process()
        // SwiftPM builds the program into the folder of the tests before it runs them.
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Probe")
        probe.arguments = ["trace", "allocations"]
        let output = Pipe()
        probe.standardOutput = output
        try probe.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        probe.waitUntilExit()
        #expect(probe.terminationStatus == 0)
        #expect(text == "0 1\n")
    }
}
