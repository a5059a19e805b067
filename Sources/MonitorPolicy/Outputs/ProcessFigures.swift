/// Figures of the process and the machine; nil is what cannot be measured.
public struct ProcessFigures: Sendable, Equatable {
    /// CPU time of one thread.
    public struct Thread: Sendable, Equatable {
        /// Name of the thread; GStreamer names a streaming thread after its pad.
        public var name: String
        /// CPU time in cores.
        public var cpu: Double
        /// Share of the time for which it was ready and had no processor; nil if it is not known.
        public var wait: Double?

        /// Creates a figure.
        public init(name: String, cpu: Double, wait: Double? = nil) {
            self.name = name
            self.cpu = cpu
            self.wait = wait
        }
    }

    /// CPU time of the process, in cores over the last tick.
    public var cpu: Double?
    /// Threads that were ready and had no processor, on average over the last tick.
    public var cpuWait: Double?
    /// How many of the processors that the process may run on were busy, with all programs, over the last tick.
    public var machineCPU: Double?
    /// Number of processors that the process may run on.
    public var machineProcessors: Int?
    /// How many of them a hypervisor withheld, over the last tick.
    public var stolenCPU: Double?
    /// Share of the time in which some thread of the machine waited for a processor, over the last tick.
    public var cpuPressure: Double?
    /// Processors that the process may use; a quota of its group may be a fraction.
    public var processors: Double?
    /// Threads that used the most CPU time over the last tick, at most 32.
    public var threads: [Thread] = []
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

    /// Share of the time that its threads wanted to run for which they had no processor; nil if it is not known.
    var cpuWaitShare: Double? {
        guard let cpuWait, let cpu, cpuWait + cpu > 0 else { return nil }
        return cpuWait / (cpuWait + cpu)
    }

    /// Creates figures of a process about which nothing is known.
    public init() {}
}
