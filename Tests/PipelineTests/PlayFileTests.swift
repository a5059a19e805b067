import Foundation
import Testing

/// Runs the tests in Tests/play for the files that `pipelines/play` reads and writes, and for the help of all scripts.
@Suite(.serialized) struct PlayFileTests {
    static let tests = PythonTest.all(in: "play/test_files.py") + PythonTest.all(in: "play/test_scripts.py")

    @Test(arguments: tests)
    func keepsFiles(test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 24) }
}
