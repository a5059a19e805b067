import CGStreamer
import CTestStart
import Foundation
import SwiftVideoPlugin

/// State that the tests of a process share: the registered elements, and folders.
///
/// `CTestStart` initializes GStreamer before the first test.
public enum Setup {
    /// Registers the elements of the plugin.
    public static let once: Void = {
        _ = scratch
        // The elements are registered without a plugin, for this process only.
        precondition(registerElements(in: .none), "the elements of the plugin cannot be registered")
    }()

    /// Whether all elements of a launch line, such as `x264enc ! matroskamux`, are installed.
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
        return URL(filePath: String(cString: cteststart_folder()))
    }()

    /// Whether randomized tests run for minutes, which `LONG_TESTS=1 swift test` requests.
    public static let isLong = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1"
}
