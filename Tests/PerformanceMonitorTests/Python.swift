import GstTestSupport

/// A finished run of a Python program that uses GStreamer and the plugin of `plugin-build/build`.
struct Python {
    let output: String
    let status: Int32

    /// Whether Python has the bindings of GStreamer.
    static func hasGStreamer() throws -> Bool {
        try Python(["-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"]).status == 0
    }

    /// Runs Python with these arguments and environment variables, and waits for its end.
    init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
        let run = try ProgramRun(
            "/usr/bin/python3", arguments, ["G_DEBUG": "fatal-criticals"].merging(environment) { $1 })
        (output, status) = (run.output, run.status)
    }
}
