import Foundation

/// A temporary folder with the thermal files of a machine.
public final class FakeMachine: Sendable {
    /// The folder that replaces `/`.
    public let root: String
    /// The folder that replaces `/sys`.
    public let system: String
    private let folder = NSTemporaryDirectory() + "gst-swift-machine-\(UUID().uuidString)"

    /// Adds a zone with a passive trip point at 80 and a critical one at 100 degrees; adds no zone if `celsius` is nil.
    public init(celsius: Int? = 50) {
        root = folder
        system = folder + "/sys"
        try? FileManager.default.createDirectory(atPath: system, withIntermediateDirectories: true)
        if let celsius { addZone("thermal_zone0", "cpu-thermal", celsius: celsius) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Adds or replaces a zone with the same trip points.
    public func addZone(_ zone: String, _ type: String, celsius: Int, hysteresis: Int? = nil) {
        func write(_ file: String, _ text: String) { self.write(path: "class/thermal/\(zone)/\(file)", text + "\n") }
        write("trip_point_0_type", "passive")
        write("trip_point_0_temp", "80000")
        if let hysteresis { write("trip_point_0_hyst", "\(hysteresis * 1000)") }
        write("trip_point_1_type", "critical")
        write("trip_point_1_temp", "100000")
        write("type", type)
        heat(zone, to: celsius)
    }

    public func heat(_ zone: String = "thermal_zone0", to celsius: Int) {
        write(path: "class/thermal/\(zone)/temp", "\(celsius * 1000)\n")
    }

    public func removeZone(_ zone: String) {
        // The folder is moved in one step, so that a reader never finds a zone without its name.
        try? FileManager.default.moveItem(
            atPath: "\(system)/class/thermal/\(zone)", toPath: "\(root)/removed-\(UUID().uuidString)")
    }

    public func write(_ file: String, _ text: String) { write(path: "class/thermal/thermal_zone0/\(file)", text) }

    public func write(path: String, _ text: String) {
        let url = URL(filePath: "\(system)/\(path)")
        try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // The file is replaced atomically, because a reader never reads half of a change of a file in /sys.
        try? text.write(to: url, atomically: true, encoding: .utf8)
    }

    public func remove(_ file: String = "") {
        try? FileManager.default.removeItem(atPath: "\(system)/class/thermal/thermal_zone0/\(file)")
    }
}
