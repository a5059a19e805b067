/// State of the machine that limits a pool; a state without a sensor is neither short memory nor heat.
public struct PoolPressure: Sendable, Equatable {
    /// Whether memory of the system, or of a control group of the process, is short.
    public var isMemoryShort: Bool
    /// Whether the machine reduces its clock frequency because of heat, or is about to.
    public var isHot: Bool

    /// Enough memory, and no heat.
    public static let none = PoolPressure()

    /// Creates a pressure from its parts.
    public init(isMemoryShort: Bool = false, isHot: Bool = false) {
        self.isMemoryShort = isMemoryShort
        self.isHot = isHot
    }
}
