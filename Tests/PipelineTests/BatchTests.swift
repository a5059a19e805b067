import Foundation
import TestSupport
import Testing

/// Runs the Python tests of `pipelines/batch`, which are in Tests/batch.
@Suite(.serialized) struct BatchTests {
    static let folder = Folders.package.appending(path: "Tests/batch")

    static let names = [
        "test_plan", "test_checks", "test_schedule", "test_release", "test_rendering", "test_join", "test_resume",
        "test_machines", "test_tool", "test_refusals", "test_benchmark", "test_cluster", "test_stamp", "test_workspace",
        "test_answers", "test_begin", "test_main", "test_preflight", "test_ahead", "test_local",
    ]

    @Test(arguments: names)
    func pythonTestsPass(name: String) async throws { try await Self.expectSuccess(name) }

    @Test func everyPythonTestIsRun() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        let tests = files.map { $0.deletingPathExtension().lastPathComponent }.filter { $0.hasPrefix("test_") }
        #expect(
            tests.sorted()
                == (Self.names + BatchEncoderTests.names + BatchFilmTests.names + BatchHostTests.names)
                .sorted())
    }

    @Test(arguments: [["--help"], ["-h"], []])
    func helpIsPrinted(arguments: [String]) async throws {
        let command = try await Command.run(Folders.pipelines.appending(path: "batch"), arguments)
        #expect(
            command.succeeded && command.output.hasPrefix("usage: pipelines/batch")
                && command.output.contains("  pipelines/batch holiday.mp4"), "\(command.output)")
    }

    static func expectSuccess(_ name: String) async throws {
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-m", "unittest", "--verbose", name], in: folder,
            environment: [
                "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
                "GST_PRESET_PATH": Folders.package.appending(path: "presets").path(percentEncoded: false),
                "PYTHONDONTWRITEBYTECODE": "1",
            ],
            // A module has up to 26 tests, so the limit is longer than the limit of one test.
            limit: patience * 4)
        let tests = command.output.matches(of: /(?m)^test_.* \.\.\. (ok|skipped.*)$/)
        #expect(command.succeeded && !tests.isEmpty, "\(command.output)")
        for test in command.output.matches(of: /(?m)^.* \.\.\. skipped .*$/) { print("Test \(test.output)") }
    }
}

/// Runs the tests that render the most, in a separate suite that runs in parallel with the other suites.
@Suite(.serialized) struct BatchEncoderTests {
    static let names = ["test_encoders"]

    @Test(arguments: names)
    func pythonTestsPass(name: String) async throws { try await BatchTests.expectSuccess(name) }
}

@Suite(.serialized) struct BatchFilmTests {
    static let names = ["test_films", "test_frames", "test_sound"]

    @Test(arguments: names)
    func pythonTestsPass(name: String) async throws { try await BatchTests.expectSuccess(name) }
}

/// Runs the tests that wait longest, because they wait for hosts and for processes that are killed.
@Suite(.serialized) struct BatchHostTests {
    static let names = ["test_hosts", "test_hostile"]

    @Test(arguments: names)
    func pythonTestsPass(name: String) async throws { try await BatchTests.expectSuccess(name) }
}
