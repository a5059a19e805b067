import Foundation
import Testing

/// Runs the tests of `pipelines/look` in Tests/look, which open its window on a virtual display.
@Suite(.serialized) struct LookTests {
    static let tests = ["model", "window"].flatMap { PythonTest.all(in: "look/test_\($0).py") }

    @Test(arguments: tests)
    func findsALook(test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 43) }
}
