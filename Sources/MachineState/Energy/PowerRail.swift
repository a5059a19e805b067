/// A channel that measures power; `sum(of:)` selects the channels whose power may be added.
public struct PowerRail: Sendable, Equatable {
    /// Name of the rail, such as `VDD_IN`; may be empty.
    public var label: String
    /// File with the power, or files with voltage and current.
    public var files: [String]

    /// Creates a rail.
    public init(label: String, files: [String]) {
        self.label = label
        self.files = files
    }

    /// Rails at the input of a board, which supply all other rails.
    private static let inputs: Set<String> = ["VDD_IN", "POM_5V_IN", "VIN", "PIN"]
    /// Parallel rails of the Jetson boards that have no rail at the input.
    private static let parallel: Set<String> = [
        "GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V", "VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0",
        "VDD_GPU", "VDD_CPU_SOC_MSS",
    ]

    /// Returns the rails whose sum counts no power twice: the input, the rails of a known board, or the first rail.
    public static func sum(of rails: [PowerRail]) -> [PowerRail] {
        if let input = rails.first(where: { inputs.contains($0.label.uppercased()) }) { return [input] }
        // The driver amd_energy counts each core and each socket, so only the sockets are added.
        let known = rails.filter { parallel.contains($0.label) || $0.label.hasPrefix("Esocket") }
        return known.isEmpty ? Array(rails.prefix(1)) : known
    }

    /// Returns watts from one text in units of `unit` watts, or from millivolts and milliamperes; else nil.
    public static func watts(_ texts: [String], unit: Double) -> Double? {
        let numbers = texts.compactMap { FileNumber.magnitude($0) }.map { Double($0) }
        guard numbers.count == texts.count else { return nil }
        switch numbers.count {
        case 1: return numbers[0] * unit
        case 2: return numbers[0] * numbers[1] / 1e6
        default: return nil
        }
    }
}
