import Foundation
import GstTestSupport
import TestSupport

/// The program `SendspinProbe`, which plays a scenario in a separate process.
struct SendspinProbe {
    let arguments: [String]

    init(_ arguments: String...) { self.arguments = arguments }

    /// Runs the program, and waits for its end.
    func run(_ environment: [String: String] = [:], within limit: Duration = patience) throws -> ProgramRun {
        // SwiftPM builds the program into the folder of the tests before it runs them.
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "SendspinProbe")
        return try ProgramRun(program, arguments, environment, within: limit)
    }
}
