import Foundation

/// A program that has ended, run with the plugin of `plugin-build/build`.
public struct ProgramRun {
    /// Its standard output and standard error.
    public let output: String
    /// Its exit status, or the number of the signal that ended it.
    public let status: Int32

    /// Runs a program of `PATH` with additional environment variables, and waits for its end.
    public init(_ program: String, _ arguments: [String], _ environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["GST_PLUGIN_PATH": Setup.package.appending(path: "out/plugin").path]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}
