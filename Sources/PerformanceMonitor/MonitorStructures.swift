import GStreamer
import MonitorPolicy

// Figures as GstStructure. Times are in nanoseconds (guint64); a field that was not measured is absent.

extension MonitorSnapshot {
    /// All figures: fields of the process, and a structure for each element by its name.
    var structure: Structure {
        var structure = Structure("performance-stats")
        structure["time"] = .duration(time)
        structure["cpu"] = process.cpu.map { .double($0) }
        structure["cpu-wait"] = process.cpuWait.map { .double($0) }
        structure["machine-cpu"] = process.machineCPU.map { .double($0) }
        structure["cpu-pressure"] = process.cpuPressure.map { .double($0) }
        let verdict = verdict
        structure["verdict"] = verdict.isEmpty ? nil : .string(verdict.joined(separator: "\n"))
        structure["memory"] = process.memory.map { .uint64($0) }
        structure["peak-memory"] = process.peakMemory.map { .uint64($0) }
        structure["power"] = process.power.map { .double($0) }
        structure["energy"] = process.energy.map { .double($0) }
        structure["energy-source"] = process.energySource.isEmpty ? nil : .string(process.energySource)
        structure["pipeline"] = pipeline.map { .structure($0.structure) }
        for element in elements { structure[element.name] = .structure(element.structure) }
        return structure
    }
}

extension ElementSnapshot {
    /// Fields that a property of the element must not replace.
    private static let measured: Set<String> = [
        "factory", "in", "out", "dropped", "rate", "blocked", "cpu", "cpu-wait",
    ]

    /// Levels whose detail is their value in words.
    private static let described: Set<String> = ["thermal-level", "ladder-step"]

    var structure: Structure {
        var structure = Structure("element")
        structure["factory"] = .string(factory)
        structure["in"] = .uint64(counts.framesIn)
        structure["out"] = .uint64(counts.framesOut)
        structure["dropped"] = counts.dropped.map { .uint64($0) }
        structure["rate"] = fiveSeconds.rate.map { .double($0) }
        structure["blocked"] = fiveSeconds.blocked.map { .double($0) }
        structure["own"] = fiveSeconds.own.map { .double($0) }
        structure["cpu"] = cpu.map { .double($0) }
        structure["cpu-wait"] = cpuWait.map { .double($0) }
        structure.add(fiveSeconds.latency, "latency")
        structure.add(fiveSeconds.age, "age")
        structure["since-start"] = .structure(Self.structure(total))
        // The properties `in` and `out` of videorate are 0 again when it stops, so they do not replace measured fields.
        for level in levels where !level.isNone {
            let isWhole = level.detail.isEmpty || Self.described.contains(level.name)
            let name = isWhole ? level.name : "\(level.name)-\(level.detail)"
            if !Self.measured.contains(name) { structure[name] = .double(level.value) }
        }
        return structure
    }

    private static func structure(_ figures: ElementFigures) -> Structure {
        var structure = Structure("since-start")
        structure["rate"] = figures.rate.map { .double($0) }
        structure.add(figures.latency, "latency")
        structure.add(figures.age, "age")
        return structure
    }
}

extension Structure {
    fileprivate mutating func add(_ figures: LatencyFigures, _ prefix: String) {
        self["\(prefix)-p50"] = figures.p50.map { .duration($0) }
        self["\(prefix)-p95"] = figures.p95.map { .duration($0) }
        self["\(prefix)-p99"] = figures.p99.map { .duration($0) }
        self["\(prefix)-max"] = figures.longest.map { .duration($0) }
        guard figures.count > 0 || figures.coverage != nil else { return }
        self["\(prefix)-count"] = .uint64(figures.count)
        self["\(prefix)-coverage"] = figures.coverage.map { .double($0) }
    }
}

extension AlertEvent {
    var structure: Structure {
        var structure = alert.structure("performance-alert")
        structure["change"] = .string(change.rawValue)
        return structure
    }
}

extension Alert {
    func structure(_ name: String) -> Structure {
        var structure = Structure(
            name,
            [
                "severity": .string(severity.rawValue), "element": .string(element), "metric": .string(metric.rawValue),
                "value": .double(value), "recent": .double(recent), "target": .double(target),
                "window": .duration(window), "samples": .uint64(samples), "text": .string(SummaryTable.sentence(self)),
            ])
        let rates = tiers.map { if case .rate(let rate) = $0 { "\(rate)" } else { "off" } }
        if !rates.isEmpty { structure["tiers"] = .string(rates.joined(separator: ", ")) }
        return structure
    }
}

extension VoteLadder.Vote {
    var event: Structure {
        Structure(
            "quality-degrade", ["reason": .string(reason), "duration": .duration(VoteLadder.duration)])
    }
}
