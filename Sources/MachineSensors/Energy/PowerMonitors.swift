import MachineState

extension EnergyReader {
    /// Channels of one kind of device; `unit` is the unit of their files in joules or watts.
    struct PowerChannels: Sendable {
        var source: String
        var paths: [[String]]
        var unit: Double
        var isEnergy: Bool
    }

    /// Finds the channels of hardware monitors that measure energy or power.
    ///
    /// Source: the kernel's `Documentation/hwmon/sysfs-interface.rst`.
    struct PowerMonitors: Sendable {
        let system: String
        let files: SystemFiles

        private static let mostDevices = 64
        private static let mostFiles = 512

        private struct Device {
            var name: String
            var energy: [PowerRail] = []
            var power: [PowerRail] = []
            var product: [PowerRail] = []
        }

        /// Returns the best channels: prefers energy to power, and channels of a board to those of a chip.
        func find() -> PowerChannels? {
            let devices = monitors()
            let ranked = devices.enumerated().sorted {
                (rank($0.element.name), $0.offset) < (rank($1.element.name), $1.offset)
            }
            .map(\.element)
            if let channels = channels(of: ranked, \.energy, "energy", 1e-6) { return channels }
            if let channels = channels(of: ranked, \.power, "power", 1e-6) { return channels }
            if let channels = channels(of: ranked, \.product, "power", 1) { return channels }
            return industrial()
        }

        private func rank(_ name: String) -> Int { name == "power_meter" ? 0 : name.hasPrefix("ina") ? 1 : 2 }

        /// Combines devices with the same driver, because they measure parts of one board.
        private func channels(
            of devices: [Device], _ rails: (Device) -> [PowerRail], _ kind: String, _ unit: Double
        ) -> PowerChannels? {
            guard let first = devices.first(where: { !rails($0).isEmpty }) else { return nil }
            let chosen = PowerRail.sum(of: devices.filter { $0.name == first.name }.flatMap(rails))
            return PowerChannels(
                source: "hwmon \(first.name) \(names(chosen, kind))", paths: chosen.map(\.files), unit: unit,
                isEnergy: kind == "energy")
        }

        private func names(_ rails: [PowerRail], _ kind: String) -> String {
            rails.map { $0.label.isEmpty ? kind : $0.label }.joined(separator: " + ")
        }

        private func monitors() -> [Device] {
            // Batteries also have monitors, which are excluded.
            let batteries = Set(files.list("\(system)/class/power_supply", Self.mostDevices))
            return folders("class/hwmon", "hwmon").compactMap { folder in
                let name = files.word("\(folder)/name") ?? "monitor"
                guard !batteries.contains(name) else { return nil }
                let found = Set(files.list(folder, Self.mostFiles))
                return Device(
                    name: name, energy: rails(folder, found, "energy", ["input"]),
                    power: rails(folder, found, "power", ["input", "average"]),
                    product: name.hasPrefix("ina") ? products(folder, found) : [])
            }
        }

        private func rails(_ folder: String, _ found: Set<String>, _ kind: String, _ ends: [String]) -> [PowerRail] {
            (1...64).compactMap { number in
                guard let end = ends.first(where: { found.contains("\(kind)\(number)_\($0)") }) else { return nil }
                let path = "\(folder)/\(kind)\(number)"
                guard let text = files.read("\(path)_\(end)").text, PowerRail.watts([text], unit: 1) != nil else {
                    return nil
                }
                return PowerRail(label: files.word("\(path)_label") ?? "\(kind)\(number)", files: ["\(path)_\(end)"])
            }
        }

        /// Channels with voltage in mV and current in mA, of a driver such as `ina3221` that reports no power.
        private func products(_ folder: String, _ found: Set<String>) -> [PowerRail] {
            (1...8).compactMap { number in
                guard found.contains("in\(number)_input"), found.contains("curr\(number)_input") else { return nil }
                return PowerRail(
                    label: files.word("\(folder)/in\(number)_label") ?? "channel \(number)",
                    files: ["\(folder)/in\(number)_input", "\(folder)/curr\(number)_input"])
            }
        }

        /// Channels of the INA drivers of Jetson boards before Linux 5.10: `in_power<n>_input` in mW, `rail_name_<n>`.
        private func industrial() -> PowerChannels? {
            let chips = folders("bus/i2c/drivers/ina3221x", "").flatMap { folders(relative($0), "iio:device") }
            let devices = chips.isEmpty ? folders("bus/iio/devices", "iio:device") : chips
            let rails = devices.flatMap { folder -> [PowerRail] in
                let found = Set(files.list(folder, Self.mostFiles))
                return (0..<8).compactMap { number in
                    guard found.contains("in_power\(number)_input") else { return nil }
                    return PowerRail(
                        label: files.word("\(folder)/rail_name_\(number)") ?? "power\(number)",
                        files: ["\(folder)/in_power\(number)_input"])
                }
            }
            guard !rails.isEmpty else { return nil }
            let chosen = PowerRail.sum(of: rails)
            return PowerChannels(
                source: "INA \(names(chosen, "power"))", paths: chosen.map(\.files), unit: 1e-3, isEnergy: false)
        }

        private func relative(_ path: String) -> String { String(path.dropFirst(system.count + 1)) }

        /// Sorted paths of the folders in `parent` whose names begin with `prefix`.
        private func folders(_ parent: String, _ prefix: String) -> [String] {
            files.list("\(system)/\(parent)", Self.mostDevices).filter { $0.hasPrefix(prefix) }.sorted()
                .map { "\(system)/\(parent)/\($0)" }
        }
    }
}
