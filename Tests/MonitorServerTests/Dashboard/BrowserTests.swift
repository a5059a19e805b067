import Foundation
import MonitorServer
import Testing
import Threads

/// Tests the dashboard in Chromium, if Chromium is installed.
///
/// `DASHBOARD_SCREENSHOTS=FOLDER` stores the screenshots, so that people can view them.
@Suite(.serialized, .enabled(if: Browser.path != nil, "Chromium is not installed (Debian package chromium)"))
struct BrowserTests {
    let folder: URL

    init() throws {
        let kept = ProcessInfo.processInfo.environment["DASHBOARD_SCREENSHOTS"].map { URL(filePath: $0) }
        folder = kept ?? FileManager.default.temporaryDirectory.appending(path: "dashboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(arguments: [["250"], ["250", "hostile"], ["400", "1763790000"], ["400", "log"]])
    func fileIsShownWithoutFault(words: [String]) async throws {
        let file = folder.appending(path: "snapshots-\(words.joined(separator: "-")).jsonl")
        let lines = try await Snapshots.lines(400, Array(words.dropFirst()))
        try lines.prefix(Int(words[0]) ?? 0).joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let server = MonitorServer(page: Dashboard.page)
        let address = try server.start(ServerAddress(port: 0))
        let shots = folder.appending(path: words.joined(separator: "-"))
        let browser = try Browser.run([
            "http://\(address)/", shots.path(percentEncoded: false), file.path(percentEncoded: false),
        ])
        var faults: [String] = []
        for await line in browser.lines { faults.append(line) }
        #expect(browser.wait() == 0 && faults.isEmpty, "\(faults)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shots.path(percentEncoded: false)).count == 8)
    }

    @Test func pageFollowsEventsNoticesSilenceAndConnectsAgain() async throws {
        let lines = try await Snapshots.lines(400, [])
        let server = MonitorServer(page: Dashboard.page)
        let address = try server.start(ServerAddress(port: 0))
        let browser = try Browser.run(["http://\(address)/", folder.path(percentEncoded: false)])
        let pace = Alarm()
        let feed = Worker.start("feed") {
            for line in lines.cycled() {
                server.publish(metrics: "", stats: line)
                guard pace.sleep(for: .milliseconds(100)) else { return }
            }
        }
        defer {
            pace.end()
            feed?.join()
        }
        var said: [String] = []
        for await line in browser.lines {
            said.append(line)
            if line == "live" { server.stop() }
            if line == "silent" { try server.start(address) }
        }
        #expect(browser.wait() == 0 && said == ["live", "silent", "again"], "\(said)")
    }
}

enum Browser {
    /// Path of Chromium; nil if it is not installed.
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first(
        where: FileManager.default.isExecutableFile)

    static func run(_ arguments: [String]) throws -> Program {
        let script = Files.tests.appending(path: "browser.py").path(percentEncoded: false)
        return try Program("/usr/bin/env", ["python3", script, path ?? ""] + arguments)
    }
}

extension Array {
    /// The elements in an endless repetition.
    fileprivate func cycled() -> some Sequence<Element> {
        sequence(state: 0) { place in
            defer { place = (place + 1) % Swift.max(self.count, 1) }
            return self.isEmpty ? nil : self[place]
        }
    }
}
