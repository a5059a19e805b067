import GStreamer
import Synchronization
public import Threads

/// The tokens in flight: any thread may read their count, and the owner has a list of them in order of issue.
///
/// The owner calls the methods of the section "Owner" with the mutex locked.
public final class TokenLedger: @unchecked Sendable {  // Fields are atomic, or accessed with the mutex locked.
    private let mutex: ConditionMutex
    private let condition: Int
    private let countedTokens = Atomic<Int>(0)
    private let isAwaited = Atomic<Bool>(false)
    /// Released tokens that were not collected yet, as a lock-free stack.
    private let released = Atomic<UnsafeMutablePointer<TokenMemory>?>(nil)

    // Accessed by the owner only.
    private var wasAwaited = false
    private var unused: TokenPointer?
    private var oldest: TokenPointer?
    private var newest: TokenPointer?

    /// Creates a ledger that wakes `condition` of `mutex` on each release, while `awaitRelease` enables this wake-up.
    public init(mutex: ConditionMutex, condition: Int) {
        self.mutex = mutex
        self.condition = condition
    }

    deinit {
        free(unused)
        free(released.exchange(nil, ordering: .acquiring))
    }

    /// Number of tokens in flight; any thread may read it.
    public var inFlight: Int { max(0, countedTokens.load(ordering: .sequentiallyConsistent)) }

    /// Enables or disables the wake-up on release; the caller must hold the mutex.
    ///
    /// A release before the call does not wake the owner. So the owner must read `inFlight` after the call, then wait.
    public func awaitRelease(_ isAwaited: Bool) {
        guard isAwaited != wasAwaited else { return }
        wasAwaited = isAwaited
        self.isAwaited.store(isAwaited, ordering: .sequentiallyConsistent)
    }

    // MARK: Owner

    /// Issues tokens for `count` frames, which count as in flight immediately.
    ///
    /// `bornAt` is the time at which the clock reached the timestamp of the frame.
    public func issue(
        _ count: Int, enteredAt: Duration, bornAt: Duration?, now: Duration, scope: TokenScope
    ) -> TokenChain {
        var first: TokenPointer?
        for _ in 0..<count {
            let token = makeToken(scope)
            token.pointee.enteredAt = enteredAt
            token.pointee.bornAt = bornAt
            token.pointee.lastElement.store(0, ordering: .relaxed)
            token.pointee.pushedAt = now
            token.pointee.references.store(1, ordering: .relaxed)
            token.pointee.status.store(.counted, ordering: .relaxed)
            list(token)
            token.pointee.next = first
            first = token
            _ = Unmanaged.passRetained(self)
        }
        countedTokens.add(count, ordering: .sequentiallyConsistent)
        return TokenChain(first: first, count: count)
    }

    /// Collects the released tokens and calls `release` for each token that counted as in flight until its release.
    public func collect(_ release: (FrameRelease) -> Void) {
        guard released.load(ordering: .relaxed) != nil else { return }
        // The last release is on top of the stack, so the stack is reversed into the order of release.
        var token: TokenPointer?
        var top = released.exchange(nil, ordering: .acquiring)
        while let one = top {
            top = one.pointee.next
            one.pointee.next = token
            token = one
        }
        while let one = token {
            token = one.pointee.next
            if one.pointee.isListed {
                unlist(one)
                release(
                    FrameRelease(
                        enteredAt: one.pointee.enteredAt, bornAt: one.pointee.bornAt, pushedAt: one.pointee.pushedAt,
                        releasedAt: one.pointee.releasedAt))
            }
            one.pointee.next = unused
            unused = one
        }
    }

    /// Time at which the oldest token in flight was issued; nil without tokens in flight.
    public var oldestPushedAt: Duration? { oldestCounted?.pointee.pushedAt }

    /// Stops counting the oldest token in flight and returns the token; nil if there is none or it was just released.
    public func expireOldest() -> HeldToken? {
        guard let token = oldestCounted, stopCounting(token, as: .expired) else { return nil }
        unlist(token)
        return HeldToken(token)
    }

    /// Stops counting all issued tokens.
    public func forgetAll() {
        while let token = oldest {
            _ = stopCounting(token, as: .forgotten)
            unlist(token)
        }
    }

    private var oldestCounted: TokenPointer? {
        var token = oldest
        while let one = token, one.pointee.status.load(ordering: .relaxed) != .counted { token = one.pointee.newer }
        return token
    }

    private func stopCounting(_ token: TokenPointer, as status: TokenMemory.Status) -> Bool {
        guard
            token.pointee.status.compareExchange(
                expected: .counted, desired: status, ordering: .acquiringAndReleasing
            ).exchanged
        else { return false }
        countedTokens.subtract(1, ordering: .sequentiallyConsistent)
        return true
    }

    // MARK: Any thread

    /// Adds a token without references to `released`, and wakes the owner if it awaits a release.
    func tokenReleased(_ token: TokenPointer) {
        let before = token.pointee.status.exchange(.released, ordering: .acquiringAndReleasing)
        var top = released.load(ordering: .relaxed)
        while true {
            token.pointee.next = top
            let (exchanged, original) = released.compareExchange(
                expected: top, desired: token, successOrdering: .releasing, failureOrdering: .relaxed)
            if exchanged { break }
            top = original
        }
        guard before == .counted else { return }
        countedTokens.subtract(1, ordering: .sequentiallyConsistent)
        guard isAwaited.load(ordering: .sequentiallyConsistent) else { return }
        mutex.lock()
        mutex.wake(condition)
        mutex.unlock()
    }

    // MARK: Details

    private func makeToken(_ scope: TokenScope) -> TokenPointer {
        if let token = unused {
            unused = token.pointee.next
            token.pointee.scope = scope
            return token
        }
        let token = TokenPointer.allocate(capacity: 1)
        token.initialize(to: TokenMemory(ledger: self, scope: scope))
        return token
    }

    private func list(_ token: TokenPointer) {
        token.pointee.older = newest
        token.pointee.newer = nil
        token.pointee.isListed = true
        if let newest { newest.pointee.newer = token } else { oldest = token }
        newest = token
    }

    private func unlist(_ token: TokenPointer) {
        guard token.pointee.isListed else { return }
        token.pointee.isListed = false
        let (older, newer) = (token.pointee.older, token.pointee.newer)
        if let older { older.pointee.newer = newer } else { oldest = newer }
        if let newer { newer.pointee.older = older } else { newest = older }
    }

    private func free(_ tokens: TokenPointer?) {
        var token = tokens
        while let one = token {
            token = one.pointee.next
            one.deinitialize(count: 1)
            one.deallocate()
        }
    }
}

/// Times of a released frame, measured with `MonotonicClock`.
public struct FrameRelease: Sendable, Equatable {
    /// Time at which the frame entered the queue.
    public let enteredAt: Duration
    /// Time at which the clock reached the timestamp of the frame; nil if unknown.
    public let bornAt: Duration?
    /// Time at which the frame was pushed.
    public let pushedAt: Duration
    /// Time at which the last reference to the frame was released.
    public let releasedAt: Duration

    /// Age of the frame at its release: `releasedAt` minus `bornAt`.
    public var age: Duration? { bornAt.map { releasedAt - $0 } }
}
