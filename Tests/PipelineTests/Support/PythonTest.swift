import Foundation
import TestSupport
import Testing

/// A test method in a file for Python's `unittest`.
struct PythonTest: CustomTestStringConvertible, Sendable {
    /// The class and the method, such as `PlayTest.test_the_clip_is_played_to_its_end`.
    let name: String
    private let file: URL

    var testDescription: String { name }

    /// The tests of a file below `Tests`, in the order of the file.
    static func all(in path: String) -> [PythonTest] {
        let file = Folders.package.appending(path: "Tests/\(path)")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        var tests: [PythonTest] = []
        var suite = ""
        for line in text.split(separator: "\n") {
            if let found = line.firstMatch(of: /^class (\w+)\(/) { suite = String(found.1) }
            if let found = line.firstMatch(of: /^    def (test_\w+)\(/) {
                tests.append(PythonTest(name: "\(suite).\(found.1)", file: file))
            }
        }
        return tests
    }

    /// Runs the test with the plugin of `plugin-build/build`.
    func run(limit: Duration = patience) async throws -> Command {
        let plugin = Folders.package.appending(path: "out/plugin").path(percentEncoded: false)
        return try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-B", file.path(percentEncoded: false), name],
            environment: ["GST_PLUGIN_PATH": plugin], limit: limit)
    }
}
