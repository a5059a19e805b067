import MachineState

/// Reads the load of the processors of the machine.
///
/// Call `read` once a second from one thread that is not a streaming thread. In a container, the files are those of
/// the machine or of the container, or they are missing.
public struct MachineLoadReader: Sendable {
    /// Load of the machine by all of its programs.
    public struct Load: Sendable, Equatable {
        /// Load of the processors that the process may use; nil at the first reading, or if the file cannot be read.
        public var processors: ProcessorTimes.Load?
        /// Share of the time in which some thread of the machine waited for a processor; nil if unknown.
        public var pressure: Double?

        /// Creates a load with unknown values.
        public init() {}
    }

    /// A reading after a shorter interval returns the previous result, because the kernel counts in ticks of 10 ms.
    private static let shortestInterval = Duration.milliseconds(200)
    /// Time for which the numbers of the processors are valid.
    private static let numbersValidity = Duration.seconds(10)

    private let folder: String
    private let files: SystemFiles
    private var first: (times: ProcessorTimes, pressure: Duration?, at: Duration)?
    private var before: (times: ProcessorTimes, pressure: Duration?, at: Duration)?
    private var usable: (numbers: Set<Int>?, at: Duration)?
    private var last = Load()

    /// Creates a reader of the files below `root`.
    public init(_ root: MachineRoot = .machine, files: SystemFiles = SystemFiles()) {
        folder = root.processes
        self.files = files
    }

    /// Reads the load since the last reading, or with `sinceStart` since the first one; `now` is a monotonic time.
    public mutating func read(at now: Duration, sinceStart: Bool = false) -> Load {
        if let before, now >= before.at, now - before.at < Self.shortestInterval, !sinceStart { return last }
        let times = ProcessorTimes(stat: files.readStart("\(folder)/stat").text ?? "")
        let pressure = files.read("\(folder)/pressure/cpu").text.flatMap(ProcessorTimes.waited(pressure:))
        let start = sinceStart ? first : before
        var load = Load()
        if let start, now > start.at {
            load.processors = times.load(since: start.times, among: numbers(at: now))
            if let pressure, let old = start.pressure {
                load.pressure = min(max((pressure - old) / (now - start.at), 0), 1)
            }
        }
        before = (times, pressure, now)
        first = first ?? before
        last = load
        return load
    }

    /// Numbers of the processors on which the main thread may run; nil if unknown.
    private mutating func numbers(at now: Duration) -> Set<Int>? {
        if let usable, now >= usable.at, now - usable.at < Self.numbersValidity { return usable.numbers }
        let numbers = files.read("\(folder)/self/status").text.flatMap(ProcessorLimit.allowedNumbers)
        usable = (numbers, now)
        return numbers
    }
}
