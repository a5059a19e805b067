import GStreamer
import MonitorPolicy
import Threads

/// The figures that the read-only properties return.
final class PerformanceMonitorReport: Sendable {
    private let current = Mutex<MonitorSession?>(nil)
    private let snapshot = Mutex<MonitorSnapshot?>(nil)

    /// The run of the monitor; nil in READY and NULL.
    var session: MonitorSession? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Replaces the figures, which remain after the pipeline has stopped.
    func publish(_ new: MonitorSnapshot) { snapshot.withLock { $0 = new } }

    var dashboardURL: String { session?.dashboardURL ?? "" }

    /// Figures, with a structure for each element: current ones, or the last ones of a stopped pipeline.
    var stats: Structure {
        let snapshot = session?.current ?? snapshot.withLock { $0 }
        return snapshot?.structure ?? Structure("performance-stats")
    }

    var alerts: Structure {
        var structure = Structure("performance-alerts")
        let alerts = snapshot.withLock { $0?.alerts ?? [] }
        for (index, alert) in alerts.enumerated() {
            structure["alert-\(index)"] = .structure(alert.structure("alert"))
        }
        return structure
    }
}
