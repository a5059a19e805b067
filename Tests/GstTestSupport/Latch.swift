import Foundation
import TestSupport

/// A latch that threads open and close, and for whose opening other threads wait.
public final class Latch: @unchecked Sendable {  // `condition` protects `isOpen` and `count`.
    private let condition = NSCondition()
    private var isOpen: Bool
    private var count = 0

    public init(isOpen: Bool = false) { self.isOpen = isOpen }

    public func open() { set(true) }
    public func close() { set(false) }

    /// Number of threads in `wait`.
    public var waiting: Int { condition.withLock { count } }

    /// Blocks while the latch is closed; returns false if the latch is still closed after `limit`.
    @discardableResult
    public func wait(within limit: Duration = patience) -> Bool {
        let end = Date(timeIntervalSinceNow: limit / .seconds(1))
        return condition.withLock {
            count += 1
            defer { count -= 1 }
            while !isOpen { if !condition.wait(until: end) { return isOpen } }
            return true
        }
    }

    private func set(_ isOpen: Bool) {
        condition.withLock {
            self.isOpen = isOpen
            condition.broadcast()
        }
    }
}
