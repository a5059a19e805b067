import Foundation
import TestSupport
import Synchronization

/// The output and the exit status of a program that has ended.
public struct ProgramRun {
    /// The error of a program that was killed because it did not end in time.
    public struct Timeout: Error, CustomStringConvertible {
        let program: String
        let limit: Duration
        let output: String

        public var description: String {
            "\(program) was killed, because it had not ended after \(limit). Its output ends with: \(output.suffix(2_000))"
        }
    }

    /// Standard output and standard error of the program.
    public let output: String
    /// Exit status of the program, or the number of the signal that ended it.
    public let status: Int32

    /// Runs a program of `PATH` with the plugins in `out/plugin`, and waits for its end.
    ///
    /// After `limit`, the program and its children are killed.
    public init(
        _ program: String, _ arguments: [String], _ environment: [String: String] = [:],
        within limit: Duration = patience
    ) throws {
        try self.init(
            URL(filePath: "/usr/bin/env"), [program] + arguments,
            ["GST_PLUGIN_PATH": Setup.package.appending(path: "out/plugin").path].merging(environment) { $1 },
            within: limit)
    }

    /// Runs the program of a file, and waits for its end.
    public init(
        _ file: URL, _ arguments: [String], _ environment: [String: String] = [:],
        within limit: Duration = patience
    ) throws {
        let process = Process()
        process.executableURL = file
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let (watch, number) = (Watch(), process.processIdentifier)
        let thread = TestThread { watch.kill(number, after: limit) }
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        let wasKilled = watch.end()
        thread.join()
        guard !wasKilled else {
            let program = ([file.lastPathComponent] + arguments).joined(separator: " ")
            throw Timeout(program: program, limit: limit, output: output)
        }
    }

    /// Kills a process that does not end in time.
    private final class Watch: Sendable {
        private let state = Mutex((isOver: false, hasKilled: false))
        private let over = Latch()

        /// Waits for `end`, and kills the process after `limit`.
        func kill(_ process: pid_t, after limit: Duration) {
            guard !over.wait(within: limit) else { return }
            state.withLock { state in
                guard !state.isOver else { return }
                state.hasKilled = true
                // Foundation starts a process in a new process group, which its children join.
                _ = Foundation.kill(getpgid(process) == process ? -process : process, SIGKILL)
            }
        }

        /// Ends the watch after the end of the process; returns whether the process was killed.
        func end() -> Bool {
            over.open()
            return state.withLock { state in
                state.isOver = true
                return state.hasKilled
            }
        }
    }
}
