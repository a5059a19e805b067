import CGStreamer

/// One reference to a list of buffers.
///
/// The corresponding C type is `GstBufferList`.
public struct BufferList: ~Copyable, @unchecked Sendable {  // Safe for the same reason as `Buffer`.
    private(set) var raw: OpaquePointer

    /// Takes the caller's reference.
    init(taking raw: OpaquePointer) { self.raw = raw }

    deinit { gst_mini_object_unref(UnsafeMutablePointer(raw)) }

    /// Gives the reference to C.
    consuming func give() -> OpaquePointer {
        let raw = raw
        discard self
        return raw
    }

    /// The number of buffers.
    public var count: Int { Int(gst_buffer_list_length(raw)) }

    /// The facts of all buffers together; `isDeltaUnit` is true only if all buffers are delta units.
    public var facts: BufferFacts {
        var all = BufferFacts()
        all.count = UInt32(count)
        all.isDeltaUnit = count > 0
        for index in 0..<count {
            guard let one = facts(at: index) else { continue }
            all.bytes += one.bytes
            if all.times.start == nil { all.times.start = one.times.start }
            if all.times.presented == nil { all.times.presented = one.times.presented }
            if let start = one.times.start { all.times.end = start }
            if let duration = one.times.duration {
                all.times.end = all.times.end.map { $0 &+ duration }
                all.times.duration = duration
            }
            all.isDeltaUnit = all.isDeltaUnit && one.isDeltaUnit
            all.headerCount += one.headerCount
        }
        return all
    }

    /// An empty list; nil if there is no memory.
    ///
    /// The corresponding C function is `gst_buffer_list_new`.
    public init?() {
        guard let raw = gst_buffer_list_new() else { return nil }
        self.raw = raw
    }

    /// Adds a buffer at the end; a list with other owners is copied first.
    ///
    /// The corresponding C function is `gst_buffer_list_insert`.
    public mutating func append(_ buffer: consuming Buffer) {
        raw = cgst_buffer_list_make_writable(raw)
        gst_buffer_list_insert(raw, -1, buffer.give())
    }

    /// Another reference to the buffer at `index`; nil if `index` is out of range.
    public func buffer(at index: Int) -> Buffer? {
        guard index >= 0, index < count, let raw = gst_buffer_list_get(raw, guint(index)) else { return nil }
        return Buffer(taking: gst_buffer_ref(raw))
    }

    /// Size, times and flags of the buffer at `index`; nil if `index` is out of range.
    public func facts(at index: Int) -> BufferFacts? {
        guard index >= 0, index < count, let buffer = gst_buffer_list_get(raw, guint(index)) else { return nil }
        return Buffer.facts(of: buffer)
    }

    /// Sets the flag DISCONT on the first buffer: data is missing before this buffer.
    public mutating func markDiscontinuity() {
        changeFirst(1) { $0.markDiscontinuity() }
    }

    /// Removes `count` buffers from `index` on; the list must contain that many.
    ///
    /// The corresponding C function is `gst_buffer_list_remove`.
    public mutating func remove(at index: Int, count: Int = 1) {
        raw = cgst_buffer_list_make_writable(raw)
        gst_buffer_list_remove(raw, guint(index), guint(count))
    }

    /// Calls `change` for each of the first `count` buffers; the list must contain at least `count` buffers.
    ///
    /// The corresponding C function is `gst_buffer_list_get_writable`.
    public mutating func changeFirst(_ count: Int, _ change: (inout Buffer) -> Void) {
        raw = cgst_buffer_list_make_writable(raw)
        for index in 0..<count {
            // `buffer` takes the list's reference and gives it back: with a second reference, it would not be writable.
            guard let writable = gst_buffer_list_get_writable(raw, guint(index)) else { continue }
            var buffer = Buffer(taking: writable)
            change(&buffer)
            let changed = buffer.give()
            guard changed != writable else { continue }
            bridgeLog.error(nil, "a buffer of a list was copied although it was writable")
            gst_buffer_list_remove(raw, guint(index), 1)
            gst_buffer_list_insert(raw, gint(index), changed)
        }
    }
}
