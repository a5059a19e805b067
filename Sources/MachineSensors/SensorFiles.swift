import MachineState

/// Reads temperatures from the files of `/sys`.
///
/// A sensor that cannot be read is left out; the others are still read.
struct SensorFiles: Sendable {
    /// The folder that is read as `/sys`.
    let system: String
    let files: SystemFiles
    /// Called with the name of a sensor before it is read; false to leave it out.
    let willRead: @Sendable (String) -> Bool
    /// Called when the read of a sensor has ended, successfully or not.
    let didRead: @Sendable (String) -> Void

    private static let mostNames = 256

    func readAll() -> ThermalReading {
        ThermalReading(
            zones: thermalZones() + monitors() + batteries(),
            throttle: guarded("get_throttled") {
                text("devices/platform/soc/soc:firmware/get_throttled").flatMap(ThrottleBits.init)
            })
    }

    private func thermalZones() -> [NamedZone] {
        folders("class/thermal", "thermal_zone").compactMap { folder in
            guarded(folder) {
                var trips: [ThermalZone.Trip] = []
                for number in 0..<16 {
                    guard let kind = text("\(folder)/trip_point_\(number)_type") else { break }
                    let (temperature, width) = ("trip_point_\(number)_temp", "trip_point_\(number)_hyst")
                    guard let temperature = text("\(folder)/\(temperature)"),
                        let trip = ThermalZone.Trip(
                            kind: kind, temperature: temperature, hysteresis: text("\(folder)/\(width)"))
                    else { continue }
                    trips.append(trip)
                }
                let zone = ThermalZone(mode: text("\(folder)/mode"), temperature: text("\(folder)/temp"), trips: trips)
                return zone.map { NamedZone(word("\(folder)/type") ?? folder, id: folder, $0) }
            }
        }
    }

    private func monitors() -> [NamedZone] {
        folders("class/hwmon", "hwmon").flatMap { folder -> [NamedZone] in
            // A driver whose name blocks is left out, because its other files could block as well.
            guard let name = guarded("\(folder)/name", { word("\(folder)/name") ?? folder }) else { return [] }
            return (1...16).compactMap { number -> NamedZone? in
                guarded("\(folder)/temp\(number)") {
                    let file = "\(folder)/temp\(number)_"
                    guard let input = text(file + "input"),
                        let zone = ThermalZone(
                            monitor: input, highest: text(file + "max"), critical: text(file + "crit"))
                    else { return nil }
                    let label = word(file + "label").map { "\(name):\($0)" } ?? name
                    return NamedZone(label, id: file, source: .monitor, zone)
                }
            }
        }
    }

    private func batteries() -> [NamedZone] {
        folders("class/power_supply", "").compactMap { folder in
            guarded(folder) {
                guard word("\(folder)/type") == "Battery",
                    let zone = ThermalZone(
                        battery: text("\(folder)/temp"), highest: text("\(folder)/temp_max"))
                else { return nil }
                return NamedZone(
                    folder.split(separator: "/").last.map(String.init) ?? folder, id: folder, source: .battery, zone)
            }
        }
    }

    private func folders(_ parent: String, _ prefix: String) -> [String] {
        (guarded(parent) { files.list("\(system)/\(parent)", Self.mostNames) } ?? []).filter { $0.hasPrefix(prefix) }
            .sorted()
            .map { "\(parent)/\($0)" }
    }

    /// Runs `body` as the read of `sensor`; nil when the sensor is left out.
    func guarded<Result>(_ sensor: String, _ body: () -> Result?) -> Result? {
        guard willRead(sensor) else { return nil }
        defer { didRead(sensor) }
        return body()
    }

    private func text(_ path: String) -> String? { files.read("\(system)/\(path)").text }

    private func word(_ path: String) -> String? {
        let word = text(path)?.prefix { $0 != "\n" }
        return word.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
