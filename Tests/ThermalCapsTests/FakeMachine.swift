import Foundation

/// A folder that looks like the /sys of a machine with one thermal zone, or more.
final class FakeMachine: Sendable {
    /// What stands for `/sys`.
    let root: String
    /// The whole machine.
    private let folder = NSTemporaryDirectory() + "gst-swift-machine-\(UUID().uuidString)"

    /// One zone, with a passive trip at 80 and a critical one at 100 degrees; none without a temperature.
    init(celsius: Int? = 50) {
        root = folder + "/sys"
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        if let celsius { addZone("thermal_zone0", "cpu-thermal", celsius: celsius) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// One more, or another.
    func addZone(_ zone: String, _ type: String, celsius: Int, hysteresis: Int? = nil) {
        func write(_ file: String, _ text: String) { self.write(path: "class/thermal/\(zone)/\(file)", text + "\n") }
        write("trip_point_0_type", "passive")
        write("trip_point_0_temp", "80000")
        if let hysteresis { write("trip_point_0_hyst", "\(hysteresis * 1000)") }
        write("trip_point_1_type", "critical")
        write("trip_point_1_temp", "100000")
        write("type", type)
        heat(zone, to: celsius)
    }

    func heat(_ zone: String = "thermal_zone0", to celsius: Int) {
        write(path: "class/thermal/\(zone)/temp", "\(celsius * 1000)\n")
    }

    func removeZone(_ zone: String) { try? FileManager.default.removeItem(atPath: "\(root)/class/thermal/\(zone)") }

    func write(_ file: String, _ text: String) { write(path: "class/thermal/thermal_zone0/\(file)", text) }

    func write(path: String, _ text: String) {
        let url = URL(filePath: "\(root)/\(path)")
        try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Whole, or not at all.
        try? text.write(to: url, atomically: true, encoding: .utf8)
    }

    func remove(_ file: String = "") {
        try? FileManager.default.removeItem(atPath: "\(root)/class/thermal/thermal_zone0/\(file)")
    }
}
