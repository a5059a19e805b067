/// All figures of a pipeline at one time; each output shows one.
public struct MonitorSnapshot: Sendable, Equatable {
    /// Name of the pipeline.
    public var name: String
    /// Time since the monitor started.
    public var time: Duration
    /// Figures of the watched elements, from source to sink.
    public var elements: [ElementSnapshot] = []
    /// Figures of the whole pipeline: frames and their age at its sinks; nil without sinks.
    public var pipeline: ElementSnapshot?
    /// Figures of the process.
    public var process = ProcessFigures()
    /// Alerts that stand.
    public var alerts: [Alert] = []

    /// Creates a snapshot without elements.
    public init(name: String, time: Duration) {
        self.name = name
        self.time = time
    }
}
