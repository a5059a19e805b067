import CGStreamer
import GStreamer

/// Meta that holds a reference to a token; begins with a `GstMeta`, as C requires.
struct TokenMeta {
    var meta: GstMeta
    var token: UnsafeMutableRawPointer?
}

extension TokenMeta {
    /// Meta of the scope `memory`: GStreamer copies a meta with this tag only together with the memory.
    private nonisolated(unsafe) static let memory = register(
        "GstFrameMemoryToken", tags: [GST_META_TAG_MEMORY_REFERENCE_STR])
    /// Meta of the scope `derived`: converters and codecs copy a meta without tags to their output.
    private nonisolated(unsafe) static let derived = register("GstFrameDerivedToken", tags: [])

    /// Registers a meta under a name that is unique to this shared object.
    ///
    /// Names of metas are global in a process, and another plugin may contain these sources with its own Swift runtime.
    /// With unique names each shared object finds only its own metas on a buffer.
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
                return TokenMeta.copy(token, to: target) ? 1 : 0
            })
    }

    static func carries(_ buffer: UnsafeMutablePointer<GstBuffer>, _ token: TokenPointer) -> Bool {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            if isOurs(meta), self.token(of: meta) == token { return true }
        }
        return false
    }

    static func recordEntry(into element: UInt, of buffer: UnsafeMutablePointer<GstBuffer>) {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            guard isOurs(meta), let token = token(of: meta) else { continue }
            token.pointee.lastElement.store(element, ordering: .relaxed)
        }
    }

    /// Adds a meta that takes the reference of the caller; if the result is false, the caller keeps the reference.
    static func add(_ token: TokenPointer, to buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let info = token.pointee.scope == .memory ? memory : derived
        guard let meta = gst_buffer_add_meta(buffer, info, nil) else { return false }
        tokenMeta(meta)?.pointee.token = UnsafeMutableRawPointer(token)
        return true
    }

    private static func copy(_ token: TokenPointer, to buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        token.pointee.references.add(1, ordering: .relaxed)
        if add(token, to: buffer) { return true }
        releaseToken(token)
        return false
    }

    /// Whether this shared object registered `meta`; the layout of other metas is unknown.
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
