import MachineState

/// Figures of the process and the machine; a figure that cannot be measured is nil.
public struct ProcessFigures: Sendable, Equatable {
    /// CPU time of the process, in cores over the last tick.
    public var cpu: Double?
    /// Mean number of threads that waited for a processor over the last tick.
    public var cpuWait: Double?
    /// Number of processors that all programs kept busy over the last tick, of those that the process may run on.
    public var machineCPU: Double?
    /// Number of processors that the process may run on.
    public var machineProcessors: Int?
    /// Number of these processors that a hypervisor withheld over the last tick.
    public var stolenCPU: Double?
    /// Share of the last tick during which some thread of the machine waited for a processor.
    public var cpuPressure: Double?
    /// Processors that the process may use; a quota of its control group may be a fraction.
    public var processors: Double?
    /// Threads that used the most CPU time over the last tick, at most 32.
    public var threads: [ThreadUsage] = []
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

    /// Waiting time of the threads as a share of the time that they waited or ran; nil if unknown.
    var cpuWaitShare: Double? {
        guard let cpuWait, let cpu, cpuWait + cpu > 0 else { return nil }
        return cpuWait / (cpuWait + cpu)
    }

    /// Creates figures without values.
    public init() {}
}
