import CGStreamer
import Foundation
import GStreamer
import Testing

@testable import SwiftVideoPlugin

typealias Buffer = UnsafeMutablePointer<GstBuffer>

/// GStreamer, started once for all tests, with the plugin's elements registered.
enum Setup {
    static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let once: Void = {
        // Presets are saved to the user's folder, whose place GLib reads once.
        setenv("XDG_DATA_HOME", newFolder().path, 1)
        setenv("GST_PRESET_PATH", package.appending(path: "presets").path, 1)
        gst_init(nil, nil)
        // A critical is a fault of ours: no test passes with one.
        g_log_set_always_fatal(
            GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        _ = registerElements(in: .none)
    }()

    /// The folder that the tests write to; removed when they end.
    private static let scratch: URL = {
        atexit { try? FileManager.default.removeItem(at: Setup.scratch) }
        return FileManager.default.temporaryDirectory.appending(path: "gst-swift-tests-\(UUID())")
    }()

    /// A folder that nobody else writes to.
    static func newFolder() -> URL {
        let folder = scratch.appending(path: "\(UUID())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Whether the tests that draw at random should take minutes: `LONG_TESTS=1 swift test`.
    static let isLong = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1"
}
