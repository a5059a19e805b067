import MachineState

/// Finds the packages in the running average power limit (RAPL) files of Intel and AMD processors.
///
/// Only packages are used: cores and graphics are parts of them, and `psys` contains them.
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
            guard let name = files.read("\(path)/name").text.flatMap(ThreadTime.name(comm:)),
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

    /// `intel-rapl:0`, but not its parts such as `intel-rapl:0:1`, nor `intel-rapl-mmio:0`, the same package again.
    private func isZone(_ folder: String) -> Bool {
        let parts = folder.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "intel-rapl"
    }
}
