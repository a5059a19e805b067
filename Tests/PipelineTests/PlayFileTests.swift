import Foundation
import Testing

/// Runs the tests in Tests/play: the files and the sound of `pipelines/play`, and the help of all scripts.
@Suite(.serialized) struct PlayFileTests {
    static let tests = ["files", "scripts", "sound"].flatMap { PythonTest.all(in: "play/test_\($0).py") }

    @Test(arguments: tests)
    func keepsFiles(test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 24) }
}
