/// State of the machine that limits a pool; a value is false if the machine has no sensor for it.
public struct PoolPressure: Sendable, Equatable {
    /// Whether memory of the system, or of a control group of the process, is short.
    public var isMemoryShort = false
    /// Whether the machine reduces its clock frequency because of heat, or will soon do so.
    public var isHot = false

    /// The state of a machine with enough memory that is not hot.
    public static let none = PoolPressure()
}
