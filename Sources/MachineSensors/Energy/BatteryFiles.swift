import MachineState

/// Reads the batteries of the machine.
struct BatteryFiles: Sendable {
    let system: String
    let files: SystemFiles

    /// Batteries that supply the machine, not those of a mouse.
    var names: [String] {
        files.list("\(system)/class/power_supply", 64).sorted().filter {
            word($0, "type") == "Battery" && word($0, "scope") != "Device"
        }
    }

    /// The charge; nil unless the battery is discharging.
    func read(_ name: String) -> BatteryCharge? {
        guard let status = text(name, "status") else { return nil }
        return BatteryCharge(
            status: status, energy: text(name, "energy_now"), charge: text(name, "charge_now"),
            voltage: text(name, "voltage_now"), power: text(name, "power_now"), current: text(name, "current_now"))
    }

    private func text(_ name: String, _ file: String) -> String? {
        files.read("\(system)/class/power_supply/\(name)/\(file)").text
    }

    private func word(_ name: String, _ file: String) -> String? { text(name, file).flatMap(ThreadTime.name(comm:)) }
}
