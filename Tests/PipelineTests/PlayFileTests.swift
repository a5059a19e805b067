import Foundation
import Testing

/// The files that `pipelines/play` reads and writes, and the help of all scripts; the tests are in Tests/play.
@Suite(.serialized) struct PlayFileTests {
    static let tests = PythonTest.all(in: "play/test_files.py") + PythonTest.all(in: "play/test_scripts.py")

    @Test(arguments: tests)
    func keepsFiles(test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 24) }
}
