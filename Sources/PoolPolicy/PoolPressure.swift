/// State of the machine that limits a pool; a value without a sensor is false.
public struct PoolPressure: Sendable, Equatable {
    /// Whether memory of the system, or of a control group of the process, is short.
    public var isMemoryShort = false
    /// Whether the machine reduces its clock frequency because of heat, or is about to.
    public var isHot = false

    /// Enough memory, and no heat.
    public static let none = PoolPressure()
}
