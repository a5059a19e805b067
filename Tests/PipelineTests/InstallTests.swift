import Foundation
import Testing

/// Tests `install` and `uninstall`, with and without presets of the user.
@Suite(.serialized) struct InstallTests {
    let home = Folders.fresh("home of a user")

    var userData: URL { home.appending(path: ".local/share/gstreamer-1.0") }
    var presetFile: URL { userData.appending(path: "presets/GstNtscFilter.prs") }
    var environment: [String: String] {
        let share = home.appending(path: ".local/share").path(percentEncoded: false)
        return ["HOME": home.path(percentEncoded: false), "XDG_DATA_HOME": share]
    }

    @Test func uninstallRemovesEverythingAfterRepeatedInstall() async throws {
        for _ in 1...2 { try await run("install") }
        for name in ["swiftvideo", "sendspin"] {
            let plugin = userData.appending(path: "plugins/libgst\(name).so").path(percentEncoded: false)
            #expect(FileManager.default.isExecutableFile(atPath: plugin))
        }
        let inspected = try await Command.run(named: "gst-inspect-1.0", ["ntscfilter"], environment: environment)
        #expect(inspected.output.contains("worn-tape"), "\(inspected.output)")
        for _ in 1...2 { try await run("uninstall") }
        #expect(try entries(below: home) == [])
    }

    @Test func uninstallKeepsPresetsOfTheUser() async throws {
        let own = """
            [_presets_]
            version=1.22.0
            element-name=GstNtscFilter

            [My own]
            snow-intensity=7

            [Worn tape]
            snow-intensity=9

            """
        try FileManager.default.createDirectory(
            at: presetFile.deletingLastPathComponent(), withIntermediateDirectories: true)
        try own.write(to: presetFile, atomically: true, encoding: .utf8)
        for _ in 1...2 {
            try await run("install")
            let names = try presetNames()
            #expect(names.count == 22)
            #expect(Set(names).count == 22)
            #expect(try !text().contains("snow-intensity=9\n"), "the preset of the plugin is updated")
        }
        for _ in 1...2 {
            try await run("uninstall")
            #expect(try presetNames() == ["_presets_", "My own"])
            #expect(try text().contains("[My own]\nsnow-intensity=7\n"))
        }
    }

    @Test func prefixAndDESTDIRSetTheTargetFolder() async throws {
        let stage = ["DESTDIR": home.path(percentEncoded: false)]
        try await run("install", ["--prefix", "/usr"], stage)
        let installed = try files(below: home)
        #expect(installed.contains("GstNtscFilter.prs") && installed.contains("libgstswiftvideo.so"))
        #expect(installed.contains("libgstsendspin.so"))
        let presets = home.appending(path: "usr/share/gstreamer-1.0/presets/GstNtscFilter.prs")
        #expect(FileManager.default.fileExists(atPath: presets.path(percentEncoded: false)))
        try await run("uninstall", ["--prefix", "/usr"], stage)
        #expect(try entries(below: home) == [])
    }

    @Test func uninstallKeepsFoldersOfOthers() async throws {
        let prefix = home.appending(path: "opt")
        let others = prefix.appending(path: "share")
        try FileManager.default.createDirectory(at: others, withIntermediateDirectories: true)
        let arguments = ["--prefix", prefix.path(percentEncoded: false)]
        for _ in 1...2 { try await run("install", arguments) }
        try "".write(to: prefix.appending(path: "lib/mine"), atomically: true, encoding: .utf8)
        try await run("uninstall", arguments)
        #expect(try Set(entries(below: home)) == ["opt", "opt/share", "opt/lib", "opt/lib/mine"])
    }

    /// Tests that GStreamer finds the plugin and its presets with the variables that `install` prints.
    @Test func unsearchedPrefixPrintsTheVariablesToSet() async throws {
        let prefix = home.appending(path: "a prefix").path(percentEncoded: false)
        let printed = try await run("install", ["--prefix", prefix])
        let exports = printed.split(separator: "\n").filter { $0.contains("export ") }.joined(separator: "\n")
        #expect(exports.contains("GST_PLUGIN_PATH=") && exports.contains("GST_PRESET_PATH="), "\(printed)")
        var hidden = environment
        for name in ["GST_PLUGIN_PATH", "GST_PRESET_PATH"] { hidden[name] = "" }
        hidden["GST_REGISTRY"] = home.appending(path: "registry").path(percentEncoded: false)
        let script = "\(exports)\ngst-inspect-1.0 ntscfilter"
        let inspected = try await Command.run(named: "sh", ["-c", script], environment: hidden)
        #expect(inspected.succeeded && inspected.output.contains(/(?i)worn[ -]tape/), "\(inspected.output)")
        #expect(inspected.output.contains("\(prefix)/lib/"))
        #expect(try await run("install").contains("export") == false, "GStreamer searches the folder of the user")
        let stage = ["DESTDIR": home.path(percentEncoded: false)]
        #expect(try await run("install", ["--prefix", "/usr"], stage).contains("export") == false)
        let staged = try await run("install", ["--prefix", "/opt/video"], stage)
        #expect(staged.contains("export GST_PRESET_PATH=/opt/video/share/gstreamer-1.0/presets"), "\(staged)")
    }

    @discardableResult private func run(
        _ script: String, _ arguments: [String] = [], _ more: [String: String] = [:]
    ) async throws -> String {
        let command = try await Command.run(
            Folders.package.appending(path: "plugin-build/\(script)"), arguments,
            environment: environment.merging(more) { $1 })
        #expect(command.succeeded, "\(command.output)")
        return command.output
    }

    private func text() throws -> String { try String(contentsOf: presetFile, encoding: .utf8) }

    private func presetNames() throws -> [String] { try text().matches(of: /(?m)^\[(.+)\]$/).map { String($0.1) } }

    /// Paths of all files and folders below `folder`, relative to `folder`.
    private func entries(below folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
    }

    /// Names of all files in `folder` and its subfolders.
    private func files(below folder: URL) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        return names.map { folder.appending(path: $0) }.filter { !$0.hasDirectoryPath }
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .map(\.lastPathComponent)
    }
}
