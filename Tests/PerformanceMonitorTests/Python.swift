import Foundation
import GstTestSupport

/// A program in Python that uses GStreamer, with the plugin of `plugin-build/build`.
struct Python {
    let output: String
    let status: Int32

    /// Whether Python has the bindings of GStreamer.
    static func hasGStreamer() throws -> Bool {
        try Python(["-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"]).status == 0
    }

    /// Runs Python with these arguments and environment variables, and waits for its end.
    init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = arguments
        let plugin = Setup.package.appending(path: "out/plugin").path
        process.environment = ProcessInfo.processInfo.environment
            .merging(["GST_PLUGIN_PATH": plugin, "G_DEBUG": "fatal-criticals"]) { $1 }.merging(environment) { $1 }
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
