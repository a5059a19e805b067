import TestSupport
import Testing

/// Runs the tests in Tests/sendspin, whose servers are written in Python and share no code with the plugin.
@Suite(.serialized) struct SendspinPeerTests {
    static let tests = ["codes", "faults", "handshakes", "lights", "pairing", "service", "trust"].flatMap {
        PythonTest.all(in: "sendspin/test_\($0).py")
    }

    @Test(arguments: tests)
    func holds(test: PythonTest) async throws { try await Self.expectSuccess(test) }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 54 && SendspinMemoryTests.tests.count >= 4) }

    static func expectSuccess(_ test: PythonTest, limit: Duration = patience) async throws {
        let command = try await test.run(limit: limit)
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }
}

/// Tests the memory during attacks; with `LONG_TESTS=1`, each attack takes ten minutes.
@Suite(.serialized) struct SendspinMemoryTests {
    static let tests = PythonTest.all(in: "sendspin/test_memory.py")

    @Test(arguments: tests)
    func isBounded(test: PythonTest) async throws {
        try await SendspinPeerTests.expectSuccess(test, limit: .seconds(3_600))
    }
}
