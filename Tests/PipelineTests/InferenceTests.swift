import Foundation
import Testing

extension EndToEndTests {
    /// The programs of pipelines/inference and Benchmarks/inference; their tests are in Tests/inference.
    @Suite struct InferenceTests {
        @Test(arguments: PythonTest.all(in: "inference/test_policies.py"))
        func policyHolds(test: PythonTest) async throws { try await expectSuccess(test) }

        @Test(arguments: PythonTest.all(in: "inference/test_play.py"))
        func modelPlays(test: PythonTest) async throws { try await expectSuccess(test) }

        @Test(arguments: PythonTest.all(in: "inference/test_mediapipe.py"))
        func libraryLoads(test: PythonTest) async throws { try await expectSuccess(test) }

        @Test(arguments: PythonTest.all(in: "inference/test_benchmark.py"))
        func benchmarkDraws(test: PythonTest) async throws { try await expectSuccess(test) }

        @Test func allTestsAreFound() {
            let files = ["policies": 18, "play": 8, "mediapipe": 3, "benchmark": 5]
            for (file, least) in files {
                #expect(PythonTest.all(in: "inference/test_\(file).py").count >= least, "\(file)")
            }
        }

        private func expectSuccess(_ test: PythonTest) async throws {
            let command = try await test.run()
            #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
        }
    }
}
