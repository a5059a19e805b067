import CGStreamer
import CPluginEntry
import Foundation
import SwiftVideoPlugin

/// Initializes GStreamer once for all tests of the process and registers the elements of the plugin.
public enum Setup {
    public static let once: Void = {
        // GLib reads the folder of the user's presets once, GStreamer the folder of the system's presets.
        setenv("XDG_DATA_HOME", newFolder().path, 1)
        setenv("GST_PRESET_PATH", package.appending(path: "presets").path, 1)
        gst_init(nil, nil)
        // A critical message is a bug, so it aborts the test run.
        g_log_set_always_fatal(GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        // Without a plugin, the elements belong to the process.
        precondition(swiftvideo_plugin_init(nil) != 0, "the elements of the plugin cannot be registered")
    }()

    /// Whether all elements of a launch line are installed, such as `x264enc ! matroskamux`.
    public static func has(_ line: String) -> Bool {
        _ = once
        let factories = line.split(separator: "!").compactMap { $0.split(separator: " ").first }
        return factories.allSatisfy { factory in
            guard let found = gst_element_factory_find(String(factory)) else { return false }
            gst_object_unref(UnsafeMutableRawPointer(found))
            return true
        }
    }

    /// The folder of the repository.
    public static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Creates an empty folder, which is removed when the tests end.
    public static func newFolder() -> URL {
        let folder = scratch.appending(path: "\(UUID())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static let scratch: URL = {
        atexit { try? FileManager.default.removeItem(at: Setup.scratch) }
        return FileManager.default.temporaryDirectory.appending(path: "gst-swift-tests-\(UUID())")
    }()

    /// Whether randomized tests run for minutes: `LONG_TESTS=1 swift test`.
    public static let isLong = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1"
}
