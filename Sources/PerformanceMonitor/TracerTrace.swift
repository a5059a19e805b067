import GStreamer
import MonitorEngine
import MonitorPolicy
import Threads

/// The Perfetto trace of a process whose pipelines a tracer measures.
///
/// A trace has the marks of all threads of the process, so it is one file from the start of the first pipeline to the end
/// of the last one that plays at the same time. The file of a later trace has a number in its name, up to
/// `mostTraces`. Locks: `run`, then `file`; no streaming thread takes one.
final class TracerTrace: Sendable {
    private struct Run: Sendable {
        var pipelines = 0
        var traces = 0
        var worker: Worker?
        var alarm = Alarm()
        var failed: (@Sendable (ElementError) -> Void)?
    }

    /// An application that makes pipelines again and again does not fill the disk.
    private static let mostTraces = 32

    private let run = Mutex(Run())
    private let file = Mutex<TraceFile?>(nil)

    /// A pipeline starts; `failed` receives the faults of writing, on a thread of the trace.
    ///
    /// Call `end` when the pipeline ends, also after an error.
    func begin(
        _ settings: PerformanceMonitorSettings, name: String, failed: @escaping @Sendable (ElementError) -> Void
    ) throws(ElementError) {
        guard let path = settings.traceFile else { return }
        try run.withLock { (run) throws(ElementError) in
            run.pipelines += 1
            guard run.worker == nil else { return }
            guard run.traces < Self.mostTraces else {
                throw .resource(.openWrite, "The trace-file is not recorded again: \(Self.mostTraces) traces exist.")
            }
            let own = run.traces == 0 ? path : PipelineFiles.inserting("\(run.traces + 1)", into: path)
            let limit = Int(clamping: settings.traceBytes)
            try file.withLock { (file) throws(ElementError) in
                file = try TraceFile(own, maximumBytes: limit, processName: name)
            }
            run.traces += 1
            run.failed = failed
            let alarm = Alarm()
            run.alarm = alarm
            run.worker = Worker.start("perfmonitor") { [self] in
                while alarm.sleep(for: .seconds(1)) { drain(isLast: false, failed) }
            }
        }
    }

    /// A pipeline ends.
    func end() {
        run.withLock { run in
            run.pipelines = max(0, run.pipelines - 1)
            guard run.pipelines == 0 else { return }
            run.alarm.end()
            run.worker?.join()
            run.worker = nil
            drain(isLast: true, run.failed)
        }
    }

    private func drain(isLast: Bool, _ failed: (@Sendable (ElementError) -> Void)?) {
        let result = file.withLock { file -> (path: String, failure: FileFailure?)? in
            guard var open = file.take() else { return nil }
            let result = open.drain(isLast: isLast)
            if !isLast { file = consume open }
            return result
        }
        guard let result, let failure = result.failure else { return }
        failed?(.resource(.write, "The trace-file \"\(result.path)\" cannot be written: \(failure.reason)."))
    }
}
