/// Figures of the process and the machine; nil is what cannot be measured.
public struct ProcessFigures: Sendable, Equatable {
    /// CPU time of one thread.
    public struct Thread: Sendable, Equatable {
        /// Name of the thread; GStreamer names a streaming thread after its pad.
        public var name: String
        /// CPU time in cores.
        public var cpu: Double

        /// Creates a figure.
        public init(name: String, cpu: Double) {
            self.name = name
            self.cpu = cpu
        }
    }

    /// CPU time of the process, in cores over the last tick.
    public var cpu: Double?
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

    /// Creates figures of a process about which nothing is known.
    public init() {}
}
