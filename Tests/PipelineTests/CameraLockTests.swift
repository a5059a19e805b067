import Foundation
import Testing

/// Runs the tests of the script `pipelines/camera-lock` in Tests/camera, which simulate a camera.
@Suite(.serialized) struct CameraLockTests {
    static let tests =
        PythonTest.all(in: "camera/test_camera_values.py") + PythonTest.all(in: "camera/test_camera_end.py")

    @Test(arguments: tests)
    func locksTheCamera(test: PythonTest) async throws {
        let command = try await test.run()
        #expect(command.succeeded && command.output.contains("Ran 1 test in "), "\(command.output)")
    }

    @Test func allTestsAreFound() { #expect(Self.tests.count >= 27) }

    @Test func helpIsPrinted() async throws {
        let command = try await Command.run(Folders.pipelines.appending(path: "camera-lock"), ["--help"])
        #expect(command.succeeded)
        #expect(command.output.contains("  pipelines/camera-lock exposure=10ms"), "\(command.output)")
    }
}
