import Foundation
import Testing

/// Tests the script `pipelines/sendspin-play`.
@Suite(.serialized) struct SendspinScriptTests {
    let script = Folders.pipelines.appending(path: "sendspin-play")
    let folder = Folders.fresh("sendspin-play")

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func showsTrackAndLeavesTheServerAtASignal(signal: Int32) async throws {
        let music = try MusicServer(seconds: nil)
        // The script replaces the control character in the title, so that it does not reach the terminal.
        let line = "playing  Slow  Air - A Fiddler  [Kitchen at Cellar]  volume 100 %  0:00/10:00"
        let command = try await Command.run(
            script, [music.uri, "audio-sink=fakesink sync=true"], in: folder, interruptedAfter: line,
            signal: signal)
        #expect(command.succeeded && command.output.contains(line), "\(command.output)")
        #expect(music.server.wait { $0.last?.goodbye == .shutdown })
        #expect(music.server.violations == [])
    }

    @Test func showsThePairingTokenOnRequest() async throws {
        let music = try MusicServer(seconds: nil)
        let command = try await Command.run(
            script, ["--pair", music.uri, "audio-sink=fakesink sync=true"], in: folder,
            interruptedAfter: "Enter this token in the server")
        let token = command.output.split(whereSeparator: \.isNewline).first { $0.hasPrefix("SP:0") }
        // 64 bytes have 103 characters in base 32.
        #expect(token?.count == 107, "\(command.output)")
        #expect(!command.output.contains("▀"))
    }

    @Test(.enabled(if: hasTerminals, "this system provides no pseudo terminals"))
    func rewritesItsLineOnATerminal() async throws {
        let music = try MusicServer(seconds: nil)
        let terminal = "import pty, sys; pty.spawn(sys.argv[1:])"
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"),
            ["-c", terminal, script.path(percentEncoded: false), music.uri, "audio-sink=fakesink sync=true"],
            in: folder, interruptedAfter: "\r\u{1B}[Kplaying  Slow")
        #expect(command.output.contains("\r\u{1B}[Kplaying  Slow  Air"), "\(command.output)")
        // The interrupt also ends the Python program that provides the terminal, which then prints a traceback.
        let shown = command.output.prefix { $0 != "T" }
        #expect(!shown.contains { $0.isNewline && $0 != "\r" }, "\(command.output)")
        // The player also ends, because its terminal no longer exists.
        #expect(music.server.wait { $0.last?.goodbye == .shutdown })
    }

    @Test func waitsForAServerThatDoesNotRun() async throws {
        let command = try await Command.run(
            script, ["sendspin://127.0.0.1:1", "audio-sink=fakesink"], in: folder,
            interruptedAfter: "Cannot connect to 127.0.0.1:1: Connection refused")
        #expect(command.succeeded && command.output.contains("Waiting for a server"), "\(command.output)")
    }

    @Test(arguments: [
        (["--nmae=Kitchen"], 1, "There is no option --nmae=Kitchen"),
        (["--config"], 1, "--config needs a file."),
        (["127.0.0.1"], 1, "\"127.0.0.1\" is neither an address"),
        (["clinet-name=Kitchen"], EX_CONFIG, "clinet-name: there is no such setting"),
        (["volume=loud"], EX_CONFIG, "volume: \"loud\" is not permitted"),
        (["uri=http://127.0.0.1"], EX_CONFIG, "uri: \"http://127.0.0.1\" is not the address of a server"),
        (["sendspin://127.0.0.1:1", "audio-sink=nosuchsink"], EX_CONFIG, "\"nosuchsink\" is not an audio sink"),
        (["--config", "/dev/null", "--config=/nowhere"], EX_CONFIG, "/nowhere cannot be read"),
    ])
    func mistakesAreNamed(arguments: [String], status: Int32, answer: String) async throws {
        let command = try await Command.run(script, arguments, in: folder)
        #expect(command.status == status && command.output.contains(answer), "\(command.output)")
    }

    @Test(arguments: [["--help"], ["-h"], ["sendspin://127.0.0.1", "--help"]])
    func helpIsPrinted(arguments: [String]) async throws {
        let command = try await Command.run(script, arguments)
        #expect(command.succeeded && command.output.contains("  pipelines/sendspin-play"), "\(command.output)")
    }
}

/// Whether the system provides pseudo terminals, because some containers have no /dev/pts.
private let hasTerminals: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", "import os; os.openpty()"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}()
