import Foundation
import Testing

/// Runs the tests in Tests/inference, which test the programs of pipelines/inference and Benchmarks/inference.
@Suite(.serialized) struct InferenceTests {
    @Test(arguments: PythonTest.all(in: "inference/test_policies.py"))
    func policyHolds(test: PythonTest) async throws { try await expectSuccess(test) }

    @Test(arguments: PythonTest.all(in: "inference/test_play.py"))
    func modelPlays(test: PythonTest) async throws { try await expectSuccess(test) }

    static let modelTests = PythonTest.all(in: "inference/test_models.py")
    /// Whether `pipelines/inference/play` has made a virtual environment.
    private static func has(_ environment: String) -> Bool {
        FileManager.default.fileExists(
            atPath: Folders.package.appending(path: "out/\(environment)-venv/ready").path(percentEncoded: false))
    }

    @Test(arguments: modelTests.filter { $0.name.hasPrefix("ImportTest.") })
    func libraryIsImported(test: PythonTest) async throws { try await expectSuccess(test) }

    @Test(
        .enabled(if: has("models"), "onnxruntime is not installed"),
        arguments: modelTests.filter { $0.name.hasPrefix("OnnxTest.") })
    func modelFinds(test: PythonTest) async throws { try await expectSuccess(test) }

    @Test(
        .enabled(if: has("mediapipe"), "mediapipe is not installed"),
        arguments: modelTests.filter { $0.name.hasPrefix("MediapipeTest.") })
    func poseAndFaceAreFound(test: PythonTest) async throws { try await expectSuccess(test) }

    @Test(arguments: PythonTest.all(in: "inference/test_benchmark.py"))
    func benchmarkDraws(test: PythonTest) async throws { try await expectSuccess(test) }

    @Test func allTestsAreFound() {
        let files = ["policies": 29, "play": 16, "models": 8, "benchmark": 11]
        for (file, least) in files {
            #expect(PythonTest.all(in: "inference/test_\(file).py").count >= least, "\(file)")
        }
    }

    private func expectSuccess(_ test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
        #expect(!command.output.contains("skipped="), "A test that is skipped has not passed.\n\(command.output)")
    }
}
