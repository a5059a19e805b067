/// The state of the machine, as far as it limits a pool.
///
/// A state that no sensor provides is neither short memory nor heat.
public struct PoolPressure: Sendable, Equatable {
    /// Memory is short: of the system, or of a control group of the process.
    public var isMemoryShort: Bool
    /// The machine reduces its clock frequency because of heat, or is about to.
    public var isHot: Bool

    /// Enough memory, and no heat.
    public static let none = PoolPressure()

    /// Creates a pressure of its parts.
    public init(isMemoryShort: Bool = false, isHot: Bool = false) {
        self.isMemoryShort = isMemoryShort
        self.isHot = isHot
    }
}
