import Foundation

/// A folder that looks like the /sys of a machine with one thermal zone, or more.
final class FakeMachine: Sendable {
    /// What stands for `/sys`.
    let root: String
    /// The whole machine.
    private let folder = NSTemporaryDirectory() + "gst-swift-machine-\(UUID().uuidString)"

    init(celsius: Int? = 50) {
        root = folder + "/sys"
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        guard let celsius else { return }
        write("trip_point_0_type", "passive")
        write("trip_point_0_temp", "80000")
        write("trip_point_1_type", "critical")
        write("trip_point_1_temp", "100000")
        write("type", "cpu-thermal")
        heat(to: celsius)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func heat(to celsius: Int) { write("temp", "\(celsius * 1000)\n") }

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
