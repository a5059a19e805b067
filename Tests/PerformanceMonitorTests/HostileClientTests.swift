import CGStreamer
import Foundation
import GstTestSupport
import TestSupport
import Synchronization
import Testing

/// Tests a pipeline while clients send slowly, send huge requests, open many connections, or send garbage.
@Suite(.serialized) struct HostileClientTests {
    private static let rate = 100

    /// A live source sends frames late or loses them if its thread is delayed.
    ///
    /// Other programs delay the thread too, so the figures are compared with those of a host that has no such clients.
    @Test(arguments: ["slow", "huge", "many", "garbage"])
    func neitherDelayFramesNorTakeMemory(kind: String) throws {
        let (host, quiet) = (try Host(rate: Self.rate), try Host(rate: Self.rate))
        for one in [host, quiet] { #expect(eventually { one.figures.map { $0.passed > 20 } ?? false }) }
        let storm = Storm(port: host.port)
        storm.run(kind, forAtLeast: 0.5, connections: 0, bytes: 0)
        let memory = residentMemory(of: host.process.processIdentifier)
        let (before, quietBefore) = (try #require(host.figures), try #require(quiet.figures))
        storm.run(kind, forAtLeast: 3, connections: 20, bytes: kind == "huge" ? 256 << 20 : 1000)
        #expect(residentMemory(of: host.process.processIdentifier) - memory < 64 << 20)
        storm.end()
        // The monitor updates the figures once a second.
        let during = try #require(host.figures { $0.time > before.time + 3 }) - before
        let quietly = try #require(quiet.figures { $0.time > quietBefore.time + 3 }) - quietBefore
        let (share, possible) = (during.passed / during.time, quietly.passed / quietly.time)
        #expect(share > 0.8 * possible, "\(share) frames/s arrived, \(possible) without clients")
        #expect(during.dropped / during.passed <= 0.1 + 2 * quietly.dropped / quietly.passed)
        #expect(RawClient.get("/", port: host.port).hasPrefix("HTTP/1.1 200 ") && host.process.isRunning)
    }
}

/// A live pipeline and its dashboard in a separate process, whose memory the test measures.
private final class Host {
    let process = Process()
    let port: UInt16

    init(rate: Int) throws {
        port = try #require(RawClient.freePort)
        process.executableURL = URL(filePath: "/usr/bin/env")
        let line = """
            videotestsrc is-live=true ! video/x-raw,framerate=\(rate)/1,width=32,height=32 \
            ! queue name=q leaky=downstream max-size-buffers=5 ! fakesink name=s sync=false \
            perfmonitor report=none dashboard=127.0.0.1:\(port)
            """
        process.arguments = ["gst-launch-1.0", "-q"] + line.split(separator: " ").map(String.init)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "GST_PLUGIN_PATH": Setup.package.appending(path: "out/plugin").path, "G_DEBUG": "fatal-criticals",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        // A process inherits the signal mask of the thread that starts it; threads of Dispatch block SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// A time in seconds since the start, and the frames that `s` has received and `q` has dropped until this time.
    struct Figures {
        let time: Double
        let passed: Double
        let dropped: Double

        static func - (end: Figures, begin: Figures) -> Figures {
            Figures(
                time: end.time - begin.time, passed: end.passed - begin.passed, dropped: end.dropped - begin.dropped)
        }
    }

    var figures: Figures? { figures { _ in true } }

    /// The first figures that satisfy `isWanted`; the server may refuse a request while it has too many connections.
    func figures(_ isWanted: (Figures) -> Bool) -> Figures? {
        var figures: Figures?
        _ = eventually {
            figures = read()
            return figures.map(isWanted) ?? false
        }
        return figures
    }

    private func read() -> Figures? {
        let body = RawClient.get("/stats", port: port).split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
        guard let stats = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any],
            let time = stats["time"] as? Double, let elements = stats["elements"] as? [[String: Any]]
        else { return nil }
        func total(_ figure: String, of name: String) -> Double? {
            let element = elements.first { $0["name"] as? String == name }
            return (element?["total"] as? [String: Any])?[figure] as? Double
        }
        guard let passed = total("in", of: "s"), let dropped = total("dropped", of: "q") else { return nil }
        return Figures(time: time, passed: passed, dropped: dropped)
    }
}

/// Hostile clients, which are all of the same kind at a time.
private final class Storm {
    private let port: UInt16
    private var dice = Random(seed: 12)
    private var clients: [RawClient] = []
    private var connections = 0
    private var sent = 0

    init(port: UInt16) { self.port = port }

    /// Sends requests for at least `seconds`, until `least` connections have been opened and `bytes` bytes sent.
    func run(_ kind: String, forAtLeast seconds: Double, connections least: Int, bytes: Int) {
        let end = gst_util_get_timestamp() + GstClockTime(seconds * 1e9)
        while gst_util_get_timestamp() < end || connections < least || sent < bytes {
            switch kind {
            case "slow": drip()
            case "huge": send([UInt8](repeating: 0x41, count: 8 << 20), from: client())
            case "many":
                clients = (0..<32).map { _ in client() }
                for client in clients {
                    send(Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), from: client)
                }
            default:
                send((0..<Int(dice.next() % 4000)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }, from: client())
            }
        }
    }

    /// Closes all connections.
    func end() { clients = [] }

    /// Sends one byte of each of 32 requests that never end.
    private func drip() {
        while clients.count < 32 { clients.append(client()) }
        for client in clients { if !client.send([0x47]) { clients.removeAll { $0 === client } } else { sent += 1 } }
        simulateWork(for: .milliseconds(2))
    }

    private func client() -> RawClient {
        connections += 1
        return RawClient(port: port)
    }

    private func send(_ bytes: [UInt8], from client: RawClient) {
        for block in stride(from: 0, to: bytes.count, by: 65536) {
            guard client.send(Array(bytes[block..<min(block + 65536, bytes.count)])) else { return }
            sent += min(65536, bytes.count - block)
        }
    }
}
