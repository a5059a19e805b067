public import GStreamer
import Synchronization
import Threads

/// Buffers that must be freed before a token is released.
public enum TokenScope: Int32, Sendable, CaseIterable, Equatable {
    /// All buffers that share the memory of the frame.
    case memory
    /// All buffers that share the memory, and all buffers made from the frame: converted, scaled or encoded.
    case derived
}

/// Reference count of a frame that was pushed downstream.
///
/// The ledger owns this memory and reuses it. Metas on buffers hold references to the token. When the last reference is
/// dropped, the token is released. Any thread may drop the last reference, with locks held.
struct TokenMemory: ~Copyable {
    enum Status: UInt8, AtomicRepresentable {
        /// The frame counts as in flight.
        case counted
        /// The frame was not released in time and no longer counts.
        case expired
        /// The frame was pushed before a flush and no longer counts.
        case forgotten
        case released
    }

    let references = Atomic<Int>(0)
    let status = Atomic<Status>(.released)
    unowned(unsafe) let ledger: TokenLedger
    /// Set by `TokenLedger.issue`, before a frame carries the token.
    var scope: TokenScope

    // Only the owner of the ledger uses the following fields, with exceptions: streaming threads write `lastElement`,
    // and the releasing thread writes `releasedAt` and then `next`.
    var enteredAt = Duration.zero
    /// Time at which the clock reached the timestamp of the frame; nil if unknown.
    var bornAt: Duration?
    /// Identity of the element that the frame entered last; 0 while frames are not traced.
    let lastElement = Atomic<UInt>(0)
    var pushedAt = Duration.zero
    var releasedAt = Duration.zero
    /// Next token in `TokenLedger.released`, in a `TokenChain`, or in `TokenLedger.unused`.
    var next: UnsafeMutablePointer<TokenMemory>?
    // Neighbours in the list of counted tokens, in the order of issue.
    var older: UnsafeMutablePointer<TokenMemory>?
    var newer: UnsafeMutablePointer<TokenMemory>?
    var isListed = false

    init(ledger: TokenLedger, scope: TokenScope) {
        self.ledger = ledger
        self.scope = scope
    }
}

typealias TokenPointer = UnsafeMutablePointer<TokenMemory>

/// The first reference to a token that no frame carries yet.
public struct FrameToken: ~Copyable, @unchecked Sendable {  // The token's counts are atomic.
    let raw: TokenPointer

    init(_ raw: TokenPointer) { self.raw = raw }

    // A token that was never attached to a frame is released here.
    deinit { releaseToken(raw) }

    consuming func attach(to buffer: borrowing Buffer) {
        let token = raw
        discard self
        if !TokenMeta.add(token, to: buffer.withUnsafePointer { $0 }) { releaseToken(token) }
    }
}

/// Tokens for several frames.
public struct TokenChain: ~Copyable, @unchecked Sendable {  // The counts of its tokens are atomic.
    private var first: TokenPointer?
    /// Number of tokens left.
    public private(set) var count = 0

    init(first: TokenPointer?, count: Int) {
        self.first = first
        self.count = count
    }

    deinit {
        var token = first
        while let one = token {
            token = one.pointee.next
            releaseToken(one)
        }
    }

    /// Removes and returns the next token; nil if none is left.
    public mutating func next() -> FrameToken? {
        guard let token = first else { return nil }
        first = token.pointee.next
        count -= 1
        return FrameToken(token)
    }
}

/// Drops one reference to a token.
///
/// Any thread may call the function, with any lock held except the mutex of the ledger. It changes atomic counters and
/// reads the clock. To wake the owner, it locks the mutex of the ledger, which is a leaf lock.
func releaseToken(_ token: TokenPointer) {
    guard token.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    let ledger = Unmanaged.passUnretained(token.pointee.ledger)
    token.pointee.releasedAt = MonotonicClock.now
    ledger._withUnsafeGuaranteedRef { $0.tokenReleased(token) }
    // Each issued token holds a reference to the ledger, so tokens may outlive their element.
    ledger.release()
}

// MARK: - Buffers

extension Buffer {
    /// Attaches `token` to the frame; the token is released when the last buffer of its `TokenScope` is freed.
    public mutating func attach(_ token: consuming FrameToken) {
        makeWritable()
        token.attach(to: self)
    }
}

extension BufferList {
    /// Attaches one token to each of the first frames, as long as tokens are left.
    public mutating func attach(_ tokens: inout TokenChain) {
        changeFirst(min(count, tokens.count)) { buffer in
            if let token = tokens.next() { buffer.attach(token) }
        }
    }
}

/// An expired token, for `Pad.searchHolder`; valid while its ledger exists.
public struct HeldToken: @unchecked Sendable {  // Only the atomic status of the token is read.
    let raw: TokenPointer
    /// Identity of the last element that the frame entered; 0 if frames were not traced.
    let lastElement: UInt

    init(_ raw: TokenPointer) {
        self.raw = raw
        lastElement = raw.pointee.lastElement.load(ordering: .relaxed)
    }

    /// Whether the frame was released after the token expired.
    var isReleased: Bool { raw.pointee.status.load(ordering: .relaxed) != .expired }
}
