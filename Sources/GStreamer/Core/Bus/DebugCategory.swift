import CGStreamer

/// A named category of debug log messages, enabled with `GST_DEBUG=name:level`.
///
/// Any thread may log. A message is formatted only if its level is enabled; if not, a call costs one comparison. A
/// message names the element `host`, if it is not nil. The corresponding C type is `GstDebugCategory`.
public struct DebugCategory: @unchecked Sendable {  // GstDebugCategory is thread-safe.
    private let raw: UnsafeMutablePointer<GstDebugCategory>?

    /// Creates the category `name`; `gst-launch-1.0 --gst-debug-help` prints `description`.
    ///
    /// The corresponding C macro is `GST_DEBUG_CATEGORY_INIT`.
    public init(_ name: String, _ description: String) {
        raw = _gst_debug_category_new(name, 0, description)
    }

    /// Logs an error that makes the element fail.
    public func error(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_ERROR, host, message, file, line) }

    /// Logs a problem after which the element continues.
    public func warning(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_WARNING, host, message, file, line) }

    /// Logs a rare event, such as one per stream.
    public func info(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_INFO, host, message, file, line) }

    /// Logs a step that helps to debug the element.
    public func debug(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_DEBUG, host, message, file, line) }

    /// Logs an event that occurs for every buffer.
    public func log(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_LOG, host, message, file, line) }

    /// Logs a detail of the processing of a buffer.
    public func trace(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_TRACE, host, message, file, line) }

    @inline(__always)
    private func log(
        _ level: GstDebugLevel, _ host: ElementHost?, _ message: () -> String, _ file: StaticString, _ line: Int
    ) {
        guard let raw, gst_debug_category_get_threshold(raw).rawValue >= level.rawValue else { return }
        func log(_ object: UnsafeMutablePointer<GObject>?) {
            gst_debug_log_literal(raw, level, "\(file)", "", gint(truncatingIfNeeded: line), object, message())
        }
        let isLogged: Void? = host?.withUnsafePointer { log(&$0.pointee.object.object) }
        if isLogged == nil { log(nil) }
    }
}
