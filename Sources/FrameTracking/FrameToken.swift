import CGStreamer
public import GStreamer
import Synchronization
import Threads

/// Whose release a token waits for.
public enum TokenScope: Sendable, Equatable {
    /// All buffers that share the frame's memory.
    case memory
    /// These, and all that elements make of the frame: converted, scaled, encoded.
    case derived
}

/// Reference count of a frame that is downstream.
///
/// Its memory belongs to the ledger, which recycles it. Metas on buffers hold references; the last one to go releases
/// the token, on whatever thread that happens, with whatever locks held there.
struct TokenMemory: ~Copyable {
    enum Standing: UInt8, AtomicRepresentable {
        /// Counts as in flight.
        case counted
        /// Was not released in time, and counts no more.
        case expired
        /// From before a flush; counts no more.
        case forgotten
        case released
    }

    let references = Atomic<Int>(0)
    let standing = Atomic<Standing>(.released)
    unowned(unsafe) let ledger: TokenLedger
    /// Set anew by each issue, before any frame carries the token.
    var scope: TokenScope

    // The rest belongs to the thread that issues, but for `releasedAt`, written before `next` is.
    var enteredAt = Duration.zero
    /// When the frame's time was, by the same clock; nil when that is not known.
    var bornAt: Duration?
    /// Identity of the sink pad that the frame has entered last, while it is traced.
    let lastPad = Atomic<UInt>(0)
    var pushedAt = Duration.zero
    var releasedAt = Duration.zero
    /// Next in the stack of those that came back, in a chain just issued, or in the store.
    var next: UnsafeMutablePointer<TokenMemory>?
    // Neighbours among those that are counted, in the order they were issued.
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

    /// A token that never got its frame is released at once.
    deinit { releaseToken(raw) }

    consuming func attach(to buffer: UnsafeMutablePointer<GstBuffer>) {
        let token = raw
        discard self
        if !TokenMeta.put(token, on: buffer) { releaseToken(token) }
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

    /// Takes the next token out; nil when none is left.
    public mutating func next() -> FrameToken? {
        guard let token = first else { return nil }
        first = token.pointee.next
        count -= 1
        return FrameToken(token)
    }
}

/// Gives one reference up.
///
/// Any thread, any locks held: nothing here but atomic counts, the clock, and a wake-up under a leaf lock.
func releaseToken(_ token: TokenPointer) {
    guard token.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    let ledger = Unmanaged.passUnretained(token.pointee.ledger)
    token.pointee.releasedAt = MonotonicClock.now
    ledger._withUnsafeGuaranteedRef { $0.comeBack(token) }
    // Each token out holds the ledger, so that tokens may outlive their element.
    ledger.release()
}

// MARK: - Buffers

extension Buffer {
    /// Ties `token` to the frame: it is released when the frame, and what was made of it, is gone.
    public mutating func attach(_ token: consuming FrameToken) {
        makeWritable()
        token.attach(to: withUnsafePointer { $0.assumingMemoryBound(to: GstBuffer.self) })
    }
}

extension BufferList {
    /// Ties one token to each of the first frames, for as many as there are tokens.
    public mutating func attach(_ tokens: inout TokenChain) {
        changeFirst(min(count, tokens.count)) { buffer in
            if let token = tokens.next() { buffer.attach(token) }
        }
    }
}
