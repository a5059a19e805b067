import CGStreamer
public import GStreamer
import Synchronization
import Threads

/// Buffers that must be freed before a token is released.
public enum TokenScope: Int32, Sendable, CaseIterable, Equatable {
    /// All buffers that share the frame's memory.
    case memory
    /// Those buffers, and all buffers made from the frame, such as converted, scaled or encoded ones.
    case derived
}

/// Reference count of a frame that is downstream.
///
/// The ledger owns the memory and reuses it. Metas on buffers hold references. The token is released when the last
/// reference is dropped, on any thread, and possibly while that thread holds locks.
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

    // Except for `releasedAt`, the following fields are used by the owner of the ledger only. The releasing thread
    // writes `releasedAt` before it writes `next`.
    var enteredAt = Duration.zero
    /// Time at which the clock reached the timestamp of the frame; nil if unknown.
    var bornAt: Duration?
    /// Identity of the sink pad that the frame entered last; 0 while frames are not traced.
    let lastPad = Atomic<UInt>(0)
    var pushedAt = Duration.zero
    var releasedAt = Duration.zero
    /// Next token in `TokenLedger.released`, in a `TokenChain`, or in `TokenLedger.unused`.
    var next: UnsafeMutablePointer<TokenMemory>?
    // Neighbours in the list of counted tokens, which is in the order of issue.
    var older: UnsafeMutablePointer<TokenMemory>?
    var newer: UnsafeMutablePointer<TokenMemory>?
    var isListed = false

    init(ledger: TokenLedger, scope: TokenScope) {
        self.ledger = ledger
        self.scope = scope
    }
}

typealias TokenPointer = UnsafeMutablePointer<TokenMemory>

/// The first reference to a token, before a frame carries it.
public struct FrameToken: ~Copyable, @unchecked Sendable {  // The token's counts are atomic.
    let raw: TokenPointer

    init(_ raw: TokenPointer) { self.raw = raw }

    /// Releases a token that was never attached to a frame.
    deinit { releaseToken(raw) }

    consuming func attach(to buffer: UnsafeMutablePointer<GstBuffer>) {
        let token = raw
        discard self
        if !TokenMeta.add(token, to: buffer) { releaseToken(token) }
    }
}

/// Tokens for several frames.
public struct TokenChain: ~Copyable, @unchecked Sendable {  // As `FrameToken`.
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
/// Any thread may call it, with any lock held except the mutex of the ledger. It changes atomic counters and reads the
/// clock; to wake the owner, it locks the mutex, which is a leaf lock.
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
    /// Attaches `token` to the frame; it is released when the buffers of its `TokenScope` are freed.
    public mutating func attach(_ token: consuming FrameToken) {
        makeWritable()
        token.attach(to: withUnsafePointer { $0 })
    }
}

extension BufferList {
    /// Attaches one token to each of the first frames, for as many frames as there are tokens.
    public mutating func attach(_ tokens: inout TokenChain) {
        changeFirst(min(count, tokens.count)) { buffer in
            if let token = tokens.next() { buffer.attach(token) }
        }
    }
}

/// A token that was not released in time, for `Pad.searchHolder`; valid while its ledger exists.
public struct HeldToken: @unchecked Sendable {  // Only its atomic status is read.
    let raw: TokenPointer
    /// Identity of the last sink pad that the frame entered; 0 if frames were not traced.
    let lastPad: UInt

    init(_ raw: TokenPointer) {
        self.raw = raw
        lastPad = raw.pointee.lastPad.load(ordering: .relaxed)
    }

    /// Whether the frame was released after it expired.
    var isReleased: Bool { raw.pointee.status.load(ordering: .relaxed) != .expired }
}
