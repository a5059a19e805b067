import GStreamer
import StreamControl

/// Reads temperatures from the files of `/sys`.
///
/// What fails is left out, and does not keep the others from being read.
struct SensorFiles: Sendable {
    /// What stands for `/sys`.
    let system: String
    /// Called with the name of a sensor before it is read; false to leave it out.
    let mayRead: @Sendable (String) -> Bool
    /// Called when a sensor that was read has answered, or has failed to.
    let hasRead: @Sendable (String) -> Void
    let read: @Sendable (String) -> String?
    /// The names in a folder.
    let list: @Sendable (String) -> [String]

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
            // Who does not say its name is not asked for more.
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
        (guarded(parent) { list("\(system)/\(parent)") } ?? []).filter { $0.hasPrefix(prefix) }.sorted()
            .map { "\(parent)/\($0)" }
    }

    /// What `body` reads, as a sensor of its own; nil when that is not to be read.
    func guarded<Result>(_ sensor: String, _ body: () -> Result?) -> Result? {
        guard mayRead(sensor) else { return nil }
        defer { hasRead(sensor) }
        return body()
    }

    private func text(_ path: String) -> String? { read("\(system)/\(path)") }

    private func word(_ path: String) -> String? {
        let word = text(path)?.prefix { $0 != "\n" }
        return word.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
