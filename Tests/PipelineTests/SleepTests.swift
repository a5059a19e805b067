import Foundation
import Testing

/// Tests `check-sleeps`, which fails if a test sleeps.
@Suite(.serialized) struct SleepTests {
    let folder = Folders.fresh("repository")
    /// The name of the function is divided, because `check-sleeps` also reads this file.
    let call = "sle" + "ep("

    @Test(arguments: [
        ("FilterTests/WaitTests.swift", "g_u", "1000)"),
        ("FilterTests/WaitTests.swift", "Thread.", "forTimeInterval: 1)"),
        ("FilterTests/WaitTests.swift", "try await Task.", "for: .seconds(1))"),
        ("hosts/storm.c", "nano", "&time, NULL);"),
        ("hosts/heat.py", "time.", "0.01)"), ("GstTestSupport/Latch.swift", "u", "500)"),
    ])
    func reportsLinesThatSleep(file: String, before: String, after: String) async throws {
        let line = before + call + after
        try write("let rounds = 3\n    \(line)\n", to: file)
        let found = try await check()
        #expect(!found.succeeded)
        #expect(found.output == "Tests/\(file):2:    \(line)\n")
    }

    @Test func reportsScriptsThatSleep() async throws {
        try write("for _ in 1 2; do " + "sle" + "ep 0.2; done\n", to: "hosts/run")
        let found = try await check()
        #expect(!found.succeeded && found.output.hasPrefix("Tests/hosts/run:1:"), "\(found.output)")
    }

    @Test func allowsTheCallInSimulateWork() async throws {
        try write("g_u\(call)500)\n", to: "GstTestSupport/Waiting.swift")
        try write("identity sleep-time=20000\nlet sleeper = sleepers(1)\n", to: "FilterTests/SlowTests.swift")
        let one = try await check()
        #expect(one.succeeded && one.output.isEmpty, "\(one.output)")
        try write("g_u\(call)500)\ng_u\(call)500)\n", to: "GstTestSupport/Waiting.swift")
        let two = try await check()
        #expect(!two.succeeded && two.output.contains("contains 2 calls that sleep"), "\(two.output)")
    }

    private func check() async throws -> Command {
        try await Command.run(
            Folders.package.appending(path: "plugin-build/check-sleeps"), [folder.path(percentEncoded: false)])
    }

    private func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: "Tests/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
