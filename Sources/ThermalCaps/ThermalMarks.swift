import Tracing

/// Marks of `thermalcaps` in a trace.
enum ThermalMarks {
    /// One pass from the sensors to caps and bitrate.
    static let round = TraceSpan("thermal.round")
    /// The level of heat, from 0 (unknown) and 1 (nominal) up.
    static let level = TraceCounter("thermal.level")
    /// The stream takes other caps; the value is the level of heat.
    static let step = TraceInstant("thermal.step")
}
