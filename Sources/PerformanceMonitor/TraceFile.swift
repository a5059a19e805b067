import GStreamer
import MonitorEngine
import Tracing

struct TraceFile: ~Copyable {
    private let file: LogFile
    private var writer: TraceWriter
    private var isOver = false

    /// Truncates the file and starts to record; a process can record only one trace at a time.
    init(_ path: String, maximumBytes: Int, processName: String) throws(ElementError) {
        // Recording begins first, because the file of another monitor that records must not be truncated.
        let writer: TraceWriter
        do { writer = try TraceWriter(processName: processName, maximumBytes: maximumBytes) } catch {
            throw .resource(
                .busy, "The trace-file \"\(path)\" cannot be recorded: \(error).",
                debug: "Set trace-file on one perfmonitor of the process.")
        }
        file = try LogFile.opened(path, for: "trace-file", isReplaced: true)
        self.writer = writer
    }

    /// Writes the marks since the last call; returns the path and any failure, or nil after a call with `isLast`.
    mutating func drain(isLast: Bool) -> (path: String, failure: FileFailure?)? {
        guard !isOver else { return nil }
        isOver = isLast
        let bytes = isLast ? writer.finish() : writer.drain()
        return (file.path, bytes.isEmpty ? nil : file.append(bytes))
    }
}
