/// Figures of the process and the machine; nil is what cannot be measured.
public struct ProcessFigures: Sendable, Equatable {
    /// CPU time of the process, in cores over the last tick.
    public var cpu: Double?
    /// Memory of the process now, in bytes.
    public var memory: UInt64?
    /// Largest memory of the process so far, in bytes.
    public var peakMemory: UInt64?
    /// Energy since the start, in joules.
    public var energy: Double?
    /// Power over the last tick, in watts.
    public var power: Double?
    /// Source of the energy, such as `RAPL package-0`, or the reason why it cannot be measured.
    public var energySource = ""

    /// Creates figures of a process about which nothing is known.
    public init() {}
}
