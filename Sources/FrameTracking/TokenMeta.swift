import CGStreamer
import GStreamer

/// The meta that holds a reference to a token.
///
/// Its memory begins with a `GstMeta`, as C requires.
struct TokenMeta {
    var meta: GstMeta
    var token: UnsafeMutableRawPointer?
}

extension TokenMeta {
    static func info(_ scope: TokenScope) -> UnsafePointer<GstMetaInfo>? { scope == .memory ? memory : derived }

    /// Copied by GStreamer together with the memory only.
    private nonisolated(unsafe) static let memory = register(
        "GstFrameMemoryToken", tags: [GST_META_TAG_MEMORY_REFERENCE_STR])
    /// Without tags it belongs to the content: converters and codecs hand it on.
    private nonisolated(unsafe) static let derived = register("GstFrameDerivedToken", tags: [])

    /// Registers a meta under a name that only this shared object has.
    ///
    /// A process knows the name of a meta once, and another plugin may contain these sources too, with a Swift runtime
    /// of its own. So each shared object finds only its own metas on a buffer.
    private static func register(_ name: String, tags: [String]) -> UnsafePointer<GstMetaInfo>? {
        let name = "\(name)-\(SharedObject.uniqueName)"
        // GStreamer copies the tags.
        var list: [UnsafePointer<gchar>?] = tags.map { UnsafePointer(g_intern_string($0)) } + [nil]
        let api = gst_meta_api_type_register("\(name)-API", &list)
        return gst_meta_register(
            api, name, gsize(MemoryLayout<TokenMeta>.size),
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
            if isOurs(meta), self.token(of: meta) == token { return true }
        }
        return false
    }

    /// Notes for each token on `buffer` that it has entered `pad`.
    static func note(_ pad: UInt, on buffer: UnsafeMutablePointer<GstBuffer>) {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            guard isOurs(meta), let token = token(of: meta) else { continue }
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

    /// Whether this shared object has registered the class of `meta`; the memory of any other must not be read.
    private static func isOurs(_ meta: UnsafeMutablePointer<GstMeta>) -> Bool {
        meta.pointee.info == memory || meta.pointee.info == derived
    }

    private static func token(of meta: UnsafeMutablePointer<GstMeta>?) -> TokenPointer? {
        tokenMeta(meta)?.pointee.token?.assumingMemoryBound(to: TokenMemory.self)
    }
}

private func tokenMeta(_ meta: UnsafeMutablePointer<GstMeta>?) -> UnsafeMutablePointer<TokenMeta>? {
    UnsafeMutableRawPointer(meta)?.assumingMemoryBound(to: TokenMeta.self)
}
