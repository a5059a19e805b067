import GStreamer
import MonitorPolicy
import Synchronization
import Threads

/// The Perfetto trace of a process whose pipelines a tracer measures.
///
/// A trace has the marks of all threads of the process, so it is one file from the start of the first pipeline to the end
/// of the last one that plays at the same time. The file of a later trace has a number in its name. Locks: `run`, then
/// `file`; no streaming thread takes one.
final class TracerTrace: Sendable {
    private struct Run: Sendable {
        var pipelines = 0
        var traces = 0
        var files = PipelineFiles()
        var worker: Worker?
        var alarm = Alarm()
    }

    private let run = Mutex(Run())
    private let file = Mutex<TraceFile?>(nil)

    /// A pipeline starts.
    func begin(_ settings: PerformanceMonitorSettings, name: String) throws(ElementError) {
        guard let path = settings.traceFile else { return }
        try run.withLock { (run) throws(ElementError) in
            run.pipelines += 1
            guard run.pipelines == 1 else { return }
            run.traces += 1
            let path = run.files.claim(path, for: "\(run.traces)")
            let limit = Int(clamping: settings.traceBytes)
            try file.withLock { (file) throws(ElementError) in
                file = try TraceFile(path, maximumBytes: limit, processName: name)
            }
            let alarm = Alarm()
            run.alarm = alarm
            run.worker = Worker.start("perfmonitor") { [self] in
                while alarm.sleep(for: .seconds(1)) { drain(isLast: false) }
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
            drain(isLast: true)
        }
    }

    private func drain(isLast: Bool) {
        file.withLock { file in
            guard var open = file.take() else { return }
            _ = open.drain(isLast: isLast)
            if !isLast { file = consume open }
        }
    }
}
