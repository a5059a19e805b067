import CGStreamer
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

// MARK: - The meta

enum TokenMeta {
    static func info(_ scope: TokenScope) -> UnsafePointer<GstMetaInfo>? { scope == .memory ? memory : derived }

    /// Copied by GStreamer together with the memory only.
    private nonisolated(unsafe) static let memory = register(
        "GstBackpressureMemoryToken", tags: [GST_META_TAG_MEMORY_REFERENCE_STR])
    /// Without tags it belongs to the content: converters and codecs hand it on.
    private nonisolated(unsafe) static let derived = register("GstBackpressureDerivedToken", tags: [])

    private static func register(_ name: String, tags: [String]) -> UnsafePointer<GstMetaInfo>? {
        // GStreamer copies the tags.
        var list: [UnsafePointer<gchar>?] = tags.map { UnsafePointer(g_intern_string($0)) } + [nil]
        let api = gst_meta_api_type_register("\(name)API", &list)
        return gst_meta_register(
            api, name, gsize(MemoryLayout<CgstTokenMeta>.size),
            { meta, _, _ in
                tokenMeta(meta)?.pointee.token = nil
                return 1
            },
            { meta, _ in
                if let token = TokenMeta.token(of: meta) { releaseToken(token) }
            },
            { target, meta, _, _, _ in
                guard let target, let token = TokenMeta.token(of: meta) else { return 0 }
                return TokenMeta.share(token, with: target) ? 1 : 0
            })
    }

    /// Whether `buffer` carries `token`.
    static func carries(_ buffer: UnsafeMutablePointer<GstBuffer>, _ token: TokenPointer) -> Bool {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            let info = meta.pointee.info
            if info == memory || info == derived, self.token(of: meta) == token { return true }
        }
        return false
    }

    /// Notes for each token on `buffer` that it has entered `pad`.
    static func note(_ pad: UInt, on buffer: UnsafeMutablePointer<GstBuffer>) {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            let info = meta.pointee.info
            guard info == memory || info == derived, let token = token(of: meta) else { continue }
            token.pointee.lastPad.store(pad, ordering: .relaxed)
        }
    }

    /// Hands a reference to a new meta on `buffer`; false when there is none and the caller keeps it.
    static func put(_ token: TokenPointer, on buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard let meta = gst_buffer_add_meta(buffer, info(token.pointee.scope), nil) else { return false }
        tokenMeta(meta)?.pointee.token = UnsafeMutableRawPointer(token)
        return true
    }

    private static func share(_ token: TokenPointer, with buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        token.pointee.references.add(1, ordering: .relaxed)
        if put(token, on: buffer) { return true }
        releaseToken(token)
        return false
    }

    fileprivate static func token(of meta: UnsafeMutablePointer<GstMeta>?) -> TokenPointer? {
        tokenMeta(meta)?.pointee.token?.assumingMemoryBound(to: TokenMemory.self)
    }
}

private func tokenMeta(_ meta: UnsafeMutablePointer<GstMeta>?) -> UnsafeMutablePointer<CgstTokenMeta>? {
    UnsafeMutableRawPointer(meta)?.assumingMemoryBound(to: CgstTokenMeta.self)
}
