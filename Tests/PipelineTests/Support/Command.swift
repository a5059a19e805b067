import Foundation
import TestSupport
import Testing

/// A program that has ended.
struct Command {
    /// Standard output and standard error of the program.
    let output: String
    let status: Int32

    var succeeded: Bool { status == 0 }

    /// Runs a program and waits for its end; a program that does not end within `limit` is killed and fails.
    ///
    /// If `interruptedAfter` is not nil, the program receives `signal` when it has printed this text.
    static func run(
        _ program: URL, _ arguments: [String] = [], in folder: URL? = nil, environment: [String: String] = [:],
        limit: Duration = patience, interruptedAfter: String? = nil, signal: Int32 = SIGINT
    ) async throws -> Command {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A background job of a shell ignores these signals, and its child processes would ignore them too.
        process.arguments = ["--default-signal=HUP,INT,QUIT", program.path(percentEncoded: false)] + arguments
        process.currentDirectoryURL = folder ?? Folders.package
        process.environment = ProcessInfo.processInfo.environment.merging(ownHome) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try start(process)
        let watchdog = DispatchSource.makeTimerSource()
        watchdog.setEventHandler { kill(process.processIdentifier, SIGKILL) }
        watchdog.schedule(deadline: .now() + limit / .seconds(1))
        watchdog.activate()
        defer { watchdog.cancel() }
        let output = await read(pipe.fileHandleForReading, until: interruptedAfter) {
            kill(process.processIdentifier, signal)
        }
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        let end = isKilled ? "\nFAIL: \(program.lastPathComponent) was killed, perhaps by its limit of \(limit)." : ""
        return Command(output: output + end, status: process.terminationStatus)
    }

    /// Runs a program found in `PATH`.
    static func run(
        named name: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Command {
        let tool = URL(filePath: "/usr/bin/env")
        return try await run(tool, [name] + arguments, environment: environment)
    }

    /// Compiles `Tests/hosts/NAME.c` to a program whose functions a plugin can look up by name.
    static func host(_ name: String) async throws -> URL {
        let program = Folders.fresh(name).appending(path: name)
        let source = Folders.package.appending(path: "Tests/hosts/\(name).c").path(percentEncoded: false)
        let build = "cc -Wl,--export-dynamic -o \"$0\" \"$1\" $(pkg-config --cflags --libs gstreamer-1.0)"
        let run = try await run(
            URL(filePath: "/bin/sh"), ["-c", build, program.path(percentEncoded: false), source])
        try #require(run.succeeded, "\(run.output)")
        return program
    }

    /// Starts a process that can receive SIGINT.
    ///
    /// A process inherits the signal mask of its thread, and threads of Dispatch block SIGINT.
    private static func start(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    private static let ownHome = [
        "HOME": Folders.home.path(percentEncoded: false),
        "XDG_DATA_HOME": Folders.home.appending(path: ".local/share").path(percentEncoded: false),
        "XDG_CACHE_HOME": Folders.home.appending(path: ".cache").path(percentEncoded: false),
    ]

    /// Reads the output on a separate thread, because the threads of Swift concurrency must not block.
    private static func read(
        _ handle: FileHandle, until phrase: String?, then act: @escaping @Sendable () -> Void
    ) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes = Data()
                var waits = phrase != nil
                while case let more = handle.availableData, !more.isEmpty {
                    bytes += more
                    if waits, let phrase, String(decoding: bytes, as: UTF8.self).contains(phrase) {
                        waits = false
                        act()
                    }
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
