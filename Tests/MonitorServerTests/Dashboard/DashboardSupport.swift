import Foundation

/// Files of the repository.
enum Files {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    static let sources = tests.appending(path: "../../../Sources").standardizedFileURL
    static let page = sources.appending(path: "MonitorServer/Dashboard/dashboard.html")
    static let recorder = sources.appending(path: "MonitorPolicy/Outputs/SnapshotJSON.swift")
}

/// A program whose output lines can be read while it runs.
final class Program {
    private let process = Process()
    private let pipe = Pipe()

    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// The output lines of the program until its end.
    var lines: AsyncStream<String> {
        let file = pipe.fileHandleForReading
        return AsyncStream { continuation in
            // A read blocks its thread, and the threads of Swift concurrency must not block.
            Thread.detachNewThread {
                var rest = Data()
                while case let data = file.availableData, !data.isEmpty {
                    rest.append(data)
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
        }
    }

    /// Waits for the end of the program and returns its exit status.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Simulated snapshots, which `snapshots.py` writes.
enum Snapshots {
    static func lines(_ count: Int, _ words: [String] = []) async throws -> [String] {
        let script = Files.tests.appending(path: "snapshots.py").path(percentEncoded: false)
        let program = try Program("/usr/bin/env", ["python3", script, String(count)] + words)
        var lines: [String] = []
        for await line in program.lines { lines.append(line) }
        return lines
    }
}
