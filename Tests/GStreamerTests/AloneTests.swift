import Foundation
import Testing

@Suite struct AloneTests {
    /// Tests run in any order, so the first test that uses GStreamer may be a test that only reads values.
    @Test func aTestOfValuesRunsWithoutOthers() throws {
        let alone = Process()
        alone.executableURL = URL(filePath: CommandLine.arguments[0])
        alone.arguments = ["--testing-library", "swift-testing", "--filter", "capsRangesAndListsAreFieldValues"]
        alone.standardOutput = FileHandle.nullDevice
        alone.standardError = FileHandle.nullDevice
        try alone.run()
        alone.waitUntilExit()
        #expect(alone.terminationReason == .exit)
        #expect(alone.terminationStatus == 0)
    }
}
