import MachineState
import Threads

/// Reads the memory of this process.
///
/// Call it once a second from one thread that is not a streaming thread. `smaps_rollup` takes 0.1 ms in a small process
/// and 80 ms with 15,000 mappings and 1 GiB, during which a thread that maps memory may wait. Reading it takes at
/// most one thousandth of the time.
public struct ProcessMemoryReader: Sendable {
    private let folder: String
    private let files: SystemFiles
    private let clock: @Sendable () -> Duration
    private var pace = ReadingPace()
    private var last = ProcessMemory()

    /// Creates a reader of the files below `root`.
    public init(_ root: MachineRoot = .machine) { self.init(root, files: SystemFiles()) }

    init(
        _ root: MachineRoot, files: SystemFiles, clock: @escaping @Sendable () -> Duration = { MonotonicClock.now }
    ) {
        folder = root.processes + "/self"
        self.files = files
        self.clock = clock
    }

    /// Reads the memory; `now` is a monotonic time.
    public mutating func read(at now: Duration) -> ProcessMemory {
        var memory = files.read("\(folder)/status").text.map(ProcessMemory.init(status:)) ?? ProcessMemory()
        memory.proportional = last.proportional
        memory.unshared = last.unshared
        memory.sharesReadAt = last.sharesReadAt
        if pace.isDue(at: now) {
            let began = clock()
            let rollup = files.read("\(folder)/smaps_rollup").text
            pace.read(at: now, cost: clock() - began)
            memory.addShares(rollup: rollup ?? "", at: now)
        }
        last = memory
        return memory
    }
}
