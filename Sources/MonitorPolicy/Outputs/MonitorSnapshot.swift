/// All figures of a pipeline at one time, for outputs.
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
    /// Active alerts.
    public var alerts: [Alert] = []

    /// Values of all limits, with or without an alert.
    var targets: [TargetFigures] = []
    /// Names of targets that no element has matched so far.
    public var unmatchedTargets: [String] = []
    /// The last changes of alerts, oldest first.
    var history: [AlertNote] = []
    /// Wall clock, in seconds since 1970; nil if it was not read.
    public var clock: Double?
    /// Time at which the monitor started, on the clock of `Alert.since`.
    public var started = Duration.zero
    /// Part of the pipeline that limits its rate; nil if the figures show none.
    var bottleneck: Bottleneck?
    /// Further reasons why the pipeline is slow, in the order of the verdict: network, source, memory.
    var findings: [Finding] = []

    /// Creates a snapshot without elements.
    public init(name: String, time: Duration) {
        self.name = name
        self.time = time
    }
}
