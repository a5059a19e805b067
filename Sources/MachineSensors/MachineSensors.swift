import MachineState
import Threads

/// Temperatures, memory pressure and processors of the machine, from the files in `/sys` and `/proc`.
///
/// A background thread, the reader, reads the files, because a driver can block for seconds or forever. If a sensor
/// blocks for longer than `leastValidity`, another thread becomes the reader and omits the sensor until it returns. All
/// users of the same root share one reader, which runs while there is a user. Any thread may call the methods. The
/// mutex is locked neither while files are read nor while `onReading` runs.
public final class MachineSensors: Sendable {
    let root: MachineRoot
    let files: SystemFiles

    /// Shortest time for which a reading is valid.
    public static let leastValidity = Duration.seconds(3)
    /// Interval of readings unless a user requests another one.
    public static let usualInterval = Duration.milliseconds(500)

    struct State {
        var memory = MemoryState.unknown
        var thermal = ThermalReading()
        /// Memory and highest clock frequency of the machine, if known.
        var machine: (memoryBytes: UInt64?, hertz: UInt64?)?
        var readAt: Duration?
        /// Alarm that ends the sleep of the reader.
        var alarm: Alarm?
        var uses: [Use] = []
        var hasReader = false
        /// Number of the current reader; a reader that it replaced has a lower number.
        var reader = 0
        /// Sensor that is being read, and the time at which its read began.
        var busy: (sensor: String, since: Duration)?
        /// Sensors whose reads have not returned; each one blocks a thread.
        var stuck: Set<String> = []

        var interval: Duration { uses.map(\.interval).min() ?? MachineSensors.usualInterval }
        var validity: Duration { max(MachineSensors.leastValidity, interval * 3) }

        func isValid(at now: Duration) -> Bool { readAt.map { now - $0 <= validity } ?? false }
    }

    let state = Mutex(State())

    /// One user of the sensors.
    public final class Use: Sendable {
        let interval: Duration
        private let onReading: @Sendable () -> Void
        /// Time of the last call of `onReading`.
        private let lastCall = Mutex(Duration?.none)

        fileprivate init(interval: Duration, onReading: @escaping @Sendable () -> Void) {
            self.interval = interval
            self.onReading = onReading
        }

        /// Calls `onReading` if a call is due; the reader may read more often for other users.
        func readingArrived(at now: Duration) {
            let isDue = lastCall.withLock { last in
                guard last.map({ now - $0 >= interval - interval / 8 }) ?? true else { return false }
                last = now
                return true
            }
            if isDue { onReading() }
        }
    }

    private final class Register: Sendable { let all = Mutex<[MachineRoot: MachineSensors]>([:]) }

    /// The register is per process, because a forked child has no reader.
    private static let register = PerProcess { Register() }

    /// Sensors below `root`: the same instance for every caller.
    public static func shared(_ root: MachineRoot = .machine) -> MachineSensors {
        register.value.all.withLock { known in
            if let sensors = known[root] { return sensors }
            let sensors = MachineSensors(root)
            known[root] = sensors
            return sensors
        }
    }

    /// Creates sensors with their own reader; tests replace `files`.
    public init(_ root: MachineRoot, files: SystemFiles = SystemFiles()) {
        self.root = root
        self.files = files
    }

    /// Starts the reader unless it runs.
    ///
    /// Each use requires one `endUse`. The reader calls `onReading` on its own thread, about once per `interval`.
    public func beginUse(
        interval: Duration = usualInterval, onReading: @escaping @Sendable () -> Void = {}
    ) -> Use {
        let use = Use(interval: interval, onReading: onReading)
        let alarm: Alarm? = state.withLock { state in
            state.uses.append(use)
            return state.hasReader ? state.alarm : nil
        }
        // The new interval may be shorter than the current sleep, so the sleep ends now.
        alarm?.end()
        startReader { !$0.hasReader }
        return use
    }

    /// Ends a use; the reader ends with the last use.
    public func endUse(_ use: Use) {
        let alarm: Alarm? = state.withLock { state in
            state.uses.removeAll { $0 === use }
            guard state.uses.isEmpty else { return nil }
            state.readAt = nil
            return state.alarm
        }
        alarm?.end()
    }

    /// Last reading of memory and heat; unknown before the first reading, and if the last one is no longer valid.
    public func state(now: Duration) -> (memory: MemoryState, heat: ThermalLevel) {
        replaceBlockedReader(now)
        return state.withLock { $0.isValid(at: now) ? ($0.memory, $0.thermal.level) : (.unknown, .unknown) }
    }

    /// Last reading of the thermal sensors; nil before the first reading, and if the last one is no longer valid.
    public func thermal(now: Duration) -> ThermalReading? {
        replaceBlockedReader(now)
        return state.withLock { $0.isValid(at: now) ? $0.thermal : nil }
    }

    /// Computing power of the machine; nil before the first reading.
    public var tier: DeviceTier? {
        let (machine, hasReading) = state.withLock { ($0.machine, $0.readAt != nil) }
        guard machine != nil || hasReading else { return nil }
        return DeviceTier.judge(
            processors: TaskTeam.processorCount, memoryBytes: machine?.memoryBytes, hertz: machine?.hertz)
    }
}
