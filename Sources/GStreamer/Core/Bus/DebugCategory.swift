import CGStreamer

/// A named log channel, switched on with `GST_DEBUG=name:level`.
///
/// A message is built only when its level is on; when it is off, a call costs one comparison.
/// The corresponding C type is `GstDebugCategory`.
public struct DebugCategory: @unchecked Sendable {  // GStreamer guards its categories itself.
    private let raw: UnsafeMutablePointer<GstDebugCategory>?

    /// Makes the channel `name`; `description` is what `gst-launch-1.0 --gst-debug-help` prints.
    ///
    /// The corresponding C macro is `GST_DEBUG_CATEGORY_INIT`.
    public init(_ name: String, _ description: String) {
        raw = _gst_debug_category_new(name, 0, description)
    }

    /// Logs what makes the element fail.
    public func error(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_ERROR, host, message, file, line) }

    /// Logs what a user should know, though the element goes on.
    public func warning(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_WARNING, host, message, file, line) }

    /// Logs what happens once in the life of a stream.
    public func info(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_INFO, host, message, file, line) }

    /// Logs a step worth seeing when the element is looked into.
    public func debug(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_DEBUG, host, message, file, line) }

    /// Logs what happens for every buffer.
    public func log(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_LOG, host, message, file, line) }

    /// Logs what happens inside the handling of a buffer.
    public func trace(
        _ host: ElementHost?, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: Int = #line
    ) { log(GST_LEVEL_TRACE, host, message, file, line) }

    @inline(__always)
    private func log(
        _ level: GstDebugLevel, _ host: ElementHost?, _ message: () -> String, _ file: StaticString, _ line: Int
    ) {
        guard let raw, gst_debug_category_get_threshold(raw).rawValue >= level.rawValue else { return }
        gst_debug_log_literal(
            raw, level, "\(file)", "", gint(truncatingIfNeeded: line), host?.object, message())
    }
}
