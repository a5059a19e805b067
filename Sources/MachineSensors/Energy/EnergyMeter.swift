import MachineState

/// One source of energy, and what it has measured.
struct EnergyMeter: Sendable {
    private enum Kind: Sendable {
        case counters([(path: String, counter: EnergyCounter)])
        case power(PowerChannels, PowerSum)
        case batteries(BatteryFiles, [(name: String, drain: BatteryDrain)])
    }

    private let source: String
    private var kind: Kind

    init(_ domains: [RAPLDomains.Domain]) {
        source = "RAPL " + domains.map(\.name).joined(separator: " + ")
        kind = .counters(domains.map { ($0.path, EnergyCounter(range: $0.range)) })
    }

    init(_ channels: PowerChannels) {
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
        return measured(.counter, counters.map(\.counter.joules), counters.map(\.counter.watts))
    }

    private func read(
        _ channels: PowerChannels, _ sum: inout PowerSum, _ files: SystemFiles, at now: Duration
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
        return measured(.sampledPower, [sum.joules], [sum.watts])
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
            return .notMeasurable(reason: "The \(source) is not discharging, so it does not supply the machine.")
        }
        return measured(.battery, drains.map(\.drain.joules), watts)
    }

    private func unreadable(_ path: String) -> EnergyReading {
        .notMeasurable(reason: "\(path) can no longer be read, or contains no number.")
    }

    /// The sum; its power is unknown if that of a part is.
    private func measured(_ method: Energy.Method, _ joules: [Double], _ watts: [Double?]) -> EnergyReading {
        let known = watts.compactMap { $0 }
        return .measured(
            Energy(
                source: source, method: method, joules: joules.reduce(0, +),
                watts: known.count == watts.count ? known.reduce(0, +) : nil))
    }
}
