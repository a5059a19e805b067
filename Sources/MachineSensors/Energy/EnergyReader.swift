import MachineState

/// Reads the energy that the machine takes, as far as the hardware measures it.
///
/// Call it once a second, from one thread, not a streaming thread, and not one that another waits for: the driver of a
/// hardware monitor may block. The first source that works is used from then on: the packages of the processor (RAPL),
/// a hardware monitor, a battery while it is discharging.
public struct EnergyReader: Sendable {
    /// Time between two searches for a source.
    private static let searchInterval = Duration.seconds(10)

    private let system: String
    private let files: SystemFiles
    private var meter: EnergyMeter?
    private var searchedAt: Duration?
    private var reason = ""

    /// Creates a reader of the files below `root`.
    public init(_ root: MachineRoot = .machine) { self.init(root, files: SystemFiles()) }

    init(_ root: MachineRoot, files: SystemFiles) {
        system = root.system
        self.files = files
    }

    /// Reads the energy since the first reading.
    ///
    /// `now` is a monotonic time.
    public mutating func read(at now: Duration) -> EnergyReading {
        if meter == nil, searchedAt.map({ now < $0 || now - $0 >= Self.searchInterval }) ?? true {
            searchedAt = now
            search()
        }
        return meter?.read(files, at: now) ?? .notMeasurable(reason: reason)
    }

    private mutating func search() {
        let rapl = RAPLDomains(system: system, files: files).find()
        if case .found(let domains) = rapl {
            meter = EnergyMeter(domains)
        } else if let channels = PowerMonitors(system: system, files: files).find() {
            meter = EnergyMeter(channels)
        } else {
            let batteries = BatteryFiles(system: system, files: files)
            let names = batteries.names
            if names.contains(where: { batteries.read($0) != nil }) {
                meter = EnergyMeter(batteries, names)
            } else {
                reason = Self.reason(rapl, batteries: names)
            }
        }
    }

    private static func reason(_ rapl: RAPLDomains.Result, batteries: [String]) -> String {
        let other =
            batteries.isEmpty ? "there is no battery" : "\(batteries.joined(separator: ", ")) is not discharging"
        if case .denied(let path) = rapl {
            return "\(path) is readable by root only since Linux 5.10 (to allow it: sudo chmod a+r \(path)); "
                + "no hardware monitor reports energy or power, and \(other)."
        }
        return
            "The processor reports no energy in /sys/class/powercap, no hardware monitor in /sys/class/hwmon reports "
            + "energy or power, and \(other)."
    }
}
