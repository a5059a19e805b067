import Foundation
import GstTestSupport

/// The program `SendspinProbe`, which plays a scenario in a process in which nothing else runs.
struct SendspinProbe {
    let arguments: [String]

    init(_ arguments: String...) { self.arguments = arguments }

    /// Runs the program, and waits for its end.
    func run(_ environment: [String: String] = [:]) throws -> (output: String, status: Int32) {
        let process = Process()
        // SwiftPM builds the program into the folder of the tests before it runs them.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "SendspinProbe")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (output, process.terminationStatus)
    }
}
