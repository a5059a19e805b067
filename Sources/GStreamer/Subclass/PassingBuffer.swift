import CGStreamer

/// A buffer on its way through an element; the stream owns it.
///
/// The corresponding C type is `GstBuffer`.
public struct PassingBuffer: ~Copyable {
    let raw: UnsafeMutablePointer<GstBuffer>

    /// The pool that the buffer comes from, if it is of class `P`.
    public func pool<P: BufferPool>(_: P.Type) -> P? { raw.pointee.pool.flatMap { swiftPool(behind: $0) } as? P }

    /// The name of the class of the pool that the buffer comes from.
    public var poolName: String? { raw.pointee.pool.map { String(cString: cgst_type_name_of($0)) } }
}

/// The element's decision about a passing buffer.
public enum PassingVerdict: ~Copyable {
    case pass
    case drop
    case replace(Buffer)
}
