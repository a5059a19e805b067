import MachineState

/// Reads the energy that the machine takes, if the hardware measures it.
///
/// Call `read` once a second from one thread that is no streaming thread and that no thread waits for, because the
/// driver of a hardware monitor may block. The first source that works is used from then on: the packages of the
/// processor (RAPL), a hardware monitor, or a battery while it is discharging.
public struct EnergyReader: Sendable {
    /// Interval between two searches for a source.
    private static let searchInterval = Duration.seconds(10)

    private let system: String
    private let files: SystemFiles
    private var meter: EnergyMeter?
    private var searchedAt: Duration?
    private var reason = ""

    /// Creates a reader of the files below `root`.
    public init(_ root: MachineRoot = .machine, files: SystemFiles = SystemFiles()) {
        system = root.system
        self.files = files
    }

    /// Reads the energy since the first reading; `now` is a monotonic time.
    public mutating func read(at now: Duration) -> EnergyReading {
        if meter == nil, searchedAt.map({ now < $0 || now - $0 >= Self.searchInterval }) ?? true {
            searchedAt = now
            search()
        }
        return meter?.read(files, at: now) ?? EnergyReading(source: reason)
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

/// One source of energy, and the energy that it has measured.
struct EnergyMeter: Sendable {
    private enum Kind: Sendable {
        case counters([(path: String, counter: EnergyCounter)])
        case power(EnergyReader.PowerChannels, PowerSum)
        case batteries(BatteryFiles, [(name: String, drain: BatteryDrain)])
    }

    private let source: String
    private var kind: Kind

    init(_ domains: [RAPLDomains.Domain]) {
        source = "RAPL " + domains.map(\.name).joined(separator: " + ")
        kind = .counters(domains.map { ($0.path, EnergyCounter(range: $0.range)) })
    }

    init(_ channels: EnergyReader.PowerChannels) {
        source = channels.source
        kind =
            channels.isEnergy
            ? .counters(channels.paths.flatMap { $0 }.map { ($0, EnergyCounter()) }) : .power(channels, PowerSum())
    }

    init(_ files: BatteryFiles, _ names: [String]) {
        source = "battery " + names.joined(separator: " + ")
        kind = .batteries(files, names.map { ($0, BatteryDrain()) })
    }

    mutating func read(_ files: SystemFiles, at now: Duration) -> EnergyReading {
        switch kind {
        case .counters(var counters):
            defer { kind = .counters(counters) }
            return read(&counters, files, at: now)
        case .power(let channels, var sum):
            defer { kind = .power(channels, sum) }
            return read(channels, &sum, files, at: now)
        case .batteries(let batteries, var drains):
            defer { kind = .batteries(batteries, drains) }
            return read(batteries, &drains, at: now)
        }
    }

    private func read(
        _ counters: inout [(path: String, counter: EnergyCounter)], _ files: SystemFiles, at now: Duration
    ) -> EnergyReading {
        for index in counters.indices {
            guard let count = files.read(counters[index].path).text.flatMap(EnergyCounter.microjoules) else {
                for index in counters.indices { counters[index].counter.interrupt() }
                return unreadable(counters[index].path)
            }
            counters[index].counter.record(count, at: now)
        }
        return measured(counters.map(\.counter.joules), counters.map(\.counter.watts))
    }

    private func read(
        _ channels: EnergyReader.PowerChannels, _ sum: inout PowerSum, _ files: SystemFiles, at now: Duration
    ) -> EnergyReading {
        var watts = 0.0
        for paths in channels.paths {
            let texts = paths.compactMap { files.read($0).text }
            guard texts.count == paths.count, let power = PowerRail.watts(texts, unit: channels.unit) else {
                sum.interrupt()
                return unreadable(paths.joined(separator: " or "))
            }
            watts += power
        }
        sum.record(watts: watts, at: now)
        return measured([sum.joules], [sum.watts])
    }

    private func read(
        _ batteries: BatteryFiles, _ drains: inout [(name: String, drain: BatteryDrain)], at now: Duration
    ) -> EnergyReading {
        var watts: [Double?] = []
        for index in drains.indices {
            let charge = batteries.read(drains[index].name)
            drains[index].drain.record(charge, at: now)
            if charge != nil { watts.append(drains[index].drain.watts) }
        }
        guard !watts.isEmpty else {
            return EnergyReading(source: "The \(source) is not discharging, so it does not supply the machine.")
        }
        return measured(drains.map(\.drain.joules), watts)
    }

    private func unreadable(_ path: String) -> EnergyReading {
        EnergyReading(source: "\(path) can no longer be read, or contains no number.")
    }

    /// Sum of all parts; the power of the sum is unknown if the power of a part is unknown.
    private func measured(_ joules: [Double], _ watts: [Double?]) -> EnergyReading {
        let known = watts.compactMap { $0 }
        return EnergyReading(
            source: source, joules: joules.reduce(0, +),
            watts: known.count == watts.count ? known.reduce(0, +) : nil)
    }
}

struct BatteryFiles: Sendable {
    let system: String
    let files: SystemFiles

    /// Names of the batteries that supply the machine, without those of devices such as a mouse.
    var names: [String] {
        files.list("\(system)/class/power_supply", 64).sorted().filter {
            let folder = "\(system)/class/power_supply/\($0)"
            return files.word("\(folder)/type") == "Battery" && files.word("\(folder)/scope") != "Device"
        }
    }

    /// Charge of the battery `name`; nil if the battery is not discharging.
    func read(_ name: String) -> BatteryCharge? {
        guard let status = text(name, "status") else { return nil }
        return BatteryCharge(
            status: status, energy: text(name, "energy_now"), charge: text(name, "charge_now"),
            voltage: text(name, "voltage_now"), power: text(name, "power_now"), current: text(name, "current_now"))
    }

    private func text(_ name: String, _ file: String) -> String? {
        files.read("\(system)/class/power_supply/\(name)/\(file)").text
    }
}

/// Finds the packages in the running average power limit (RAPL) files of Intel and AMD processors.
///
/// Cores and graphics are parts of packages, and `psys` contains the packages, so only packages are used.
struct RAPLDomains: Sendable {
    let system: String
    let files: SystemFiles

    struct Domain: Sendable {
        var name: String
        var path: String
        var range: UInt64?
    }

    enum Result: Sendable {
        case found([Domain])
        /// The user may not read this file.
        case denied(String)
        case absent
    }

    func find() -> Result {
        var domains: [Domain] = []
        for folder in files.list("\(system)/class/powercap", 256).sorted() where isZone(folder) {
            let path = "\(system)/class/powercap/\(folder)"
            guard let name = files.word("\(path)/name"),
                name.hasPrefix("package"), !domains.contains(where: { $0.name == name })
            else { continue }
            switch files.read("\(path)/energy_uj") {
            case .text(let text) where EnergyCounter.microjoules(text) != nil:
                let range = files.read("\(path)/max_energy_range_uj").text.flatMap(EnergyCounter.microjoules)
                domains.append(Domain(name: name, path: "\(path)/energy_uj", range: range))
            case .denied: return .denied("\(path)/energy_uj")
            default: continue
            }
        }
        return domains.isEmpty ? .absent : .found(domains)
    }

    /// Accepts `intel-rapl:0`, but not its parts such as `intel-rapl:0:1`, nor the duplicate `intel-rapl-mmio:0`.
    private func isZone(_ folder: String) -> Bool {
        let parts = folder.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "intel-rapl"
    }
}
