import GStreamer
import Synchronization
public import Threads

/// Which tokens are out, counted on any thread and kept in order by one.
///
/// Methods that say "by the owner" are called by one thread at a time: under the gate.
public final class TokenLedger: @unchecked Sendable {  // Atomic, or under the owner's gate.
    private let gate: Gate
    private let condition: Int
    private let countedTokens = Atomic<Int>(0)
    private let isAwaited = Atomic<Bool>(false)
    /// Those that came back and were not collected yet, as a stack.
    private let returned = Atomic<UnsafeMutablePointer<TokenMemory>?>(nil)

    // By the owner alone.
    private var wasAwaited = false
    private var store: TokenPointer?
    private var oldest: TokenPointer?
    private var newest: TokenPointer?

    /// Wakes `condition` of `gate` when a token comes back that is awaited.
    public init(gate: Gate, condition: Int) {
        self.gate = gate
        self.condition = condition
    }

    deinit {
        free(store)
        free(returned.exchange(nil, ordering: .acquiring))
    }

    /// How many tokens count as in flight; any thread may ask.
    public var inFlight: Int { max(0, countedTokens.load(ordering: .sequentiallyConsistent)) }

    /// Asks to be woken when a token comes back, or no longer; by the owner.
    ///
    /// Look at `inFlight` after this and before waiting, or a token that came back in between is missed.
    public func awaitRelease(_ isAwaited: Bool) {
        guard isAwaited != wasAwaited else { return }
        wasAwaited = isAwaited
        self.isAwaited.store(isAwaited, ordering: .sequentiallyConsistent)
    }

    // MARK: By the owner

    /// Makes tokens for `count` frames, counted from now on.
    ///
    /// `bornAt` is when the frame's own time was, by the clock of `now`.
    public func issue(
        _ count: Int, enteredAt: Duration, bornAt: Duration?, now: Duration, scope: TokenScope
    ) -> TokenChain {
        var first: TokenPointer?
        for _ in 0..<count {
            let token = makeToken(scope)
            token.pointee.enteredAt = enteredAt
            token.pointee.bornAt = bornAt
            token.pointee.lastPad.store(0, ordering: .relaxed)
            token.pointee.pushedAt = now
            token.pointee.references.store(1, ordering: .relaxed)
            token.pointee.standing.store(.counted, ordering: .relaxed)
            list(token)
            token.pointee.next = first
            first = token
            _ = Unmanaged.passRetained(self)
        }
        countedTokens.add(count, ordering: .sequentiallyConsistent)
        return TokenChain(first: first, count: count)
    }

    /// Takes back the tokens that came back; `release` learns of each that still counted when it did.
    public func collect(_ release: (FrameRelease) -> Void) {
        guard returned.load(ordering: .relaxed) != nil else { return }
        // The last to come back is on top: the first is told first.
        var token: TokenPointer?
        var top = returned.exchange(nil, ordering: .acquiring)
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
            one.pointee.next = store
            store = one
        }
    }

    /// When the oldest token in flight was issued, if there is one.
    public var oldestPushedAt: Duration? { oldestCounted?.pointee.pushedAt }

    /// Counts the oldest token no more; nil when it has just come back.
    public func expireOldest() -> HeldToken? {
        guard let token = oldestCounted, discount(token, as: .expired) else { return nil }
        unlist(token)
        return HeldToken(token)
    }

    /// Counts none of the tokens any more that are out now.
    public func forgetAll() {
        while let token = oldest {
            _ = discount(token, as: .forgotten)
            unlist(token)
        }
    }

    private var oldestCounted: TokenPointer? {
        var token = oldest
        while let one = token, one.pointee.standing.load(ordering: .relaxed) != .counted { token = one.pointee.newer }
        return token
    }

    private func discount(_ token: TokenPointer, as standing: TokenMemory.Standing) -> Bool {
        guard
            token.pointee.standing.compareExchange(
                expected: .counted, desired: standing, ordering: .acquiringAndReleasing
            ).exchanged
        else { return false }
        countedTokens.subtract(1, ordering: .sequentiallyConsistent)
        return true
    }

    // MARK: By any thread

    /// Takes in a token whose last reference is gone.
    func comeBack(_ token: TokenPointer) {
        let before = token.pointee.standing.exchange(.released, ordering: .acquiringAndReleasing)
        var top = returned.load(ordering: .relaxed)
        while true {
            token.pointee.next = top
            let (exchanged, original) = returned.compareExchange(
                expected: top, desired: token, successOrdering: .releasing, failureOrdering: .relaxed)
            if exchanged { break }
            top = original
        }
        guard before == .counted else { return }
        countedTokens.subtract(1, ordering: .sequentiallyConsistent)
        guard isAwaited.load(ordering: .sequentiallyConsistent) else { return }
        gate.lock()
        gate.wake(condition)
        gate.unlock()
    }

    // MARK: Details

    private func makeToken(_ scope: TokenScope) -> TokenPointer {
        if let token = store {
            store = token.pointee.next
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
