import CGStreamer

/// The pointer after the fields of a C instance, which owns the Swift object.
///
/// It has the same offset in all classes, after the largest C instance structure. An inherited C method therefore finds
/// the Swift object without a lookup of the type.
enum InstanceSlot {
    static var offset: Int {
        max(
            MemoryLayout<GstElement>.stride, MemoryLayout<GstBin>.stride, MemoryLayout<GstBaseTransform>.stride,
            MemoryLayout<GstVideoFilter>.stride, MemoryLayout<GstPushSrc>.stride, MemoryLayout<GstBaseSink>.stride,
            MemoryLayout<GstBufferPool>.stride, MemoryLayout<GstSystemClock>.stride, MemoryLayout<GstTracer>.stride)
    }
    static var instanceSize: Int { offset + MemoryLayout<UnsafeMutableRawPointer>.stride }

    @inline(__always)
    private static func room(in instance: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        instance.advanced(by: offset).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Stores `object` in the C instance, which owns it until `release`.
    static func fill(_ instance: UnsafeMutableRawPointer, with object: Instance) {
        room(in: instance).pointee = Unmanaged.passRetained(object).toOpaque()
    }

    static func release(in instance: UnsafeMutableRawPointer) {
        guard let object = room(in: instance).pointee else { return }
        room(in: instance).pointee = nil
        Unmanaged<Instance>.fromOpaque(object).release()
    }

    /// The object; nil until the `init` of the element has returned.
    static func peek(_ instance: UnsafeMutableRawPointer) -> Instance? {
        room(in: instance).pointee.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls `body` with the object, without retain and release, because the C instance owns it.
    @inline(__always)
    static func lend<R>(_ instance: UnsafeMutableRawPointer, _ body: (Instance) -> R) -> R {
        // The slot is set in `instance_init` and cleared in `finalize`; C calls methods between the two only.
        Unmanaged<Instance>.fromOpaque(room(in: instance).pointee!)._withUnsafeGuaranteedRef(body)
    }
}

/// Calls `body` with the Swift object of a C instance.
@inline(__always)
func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (Instance) -> R) -> R {
    // C passes a non-null instance to its methods.
    InstanceSlot.lend(UnsafeMutableRawPointer(instance!), body)
}

/// The parent class of a C instance, as a pointer to the class structure `Class`.
@inline(__always)
func parentClass<C, Class>(of instance: UnsafeMutablePointer<C>?, _: Class.Type) -> UnsafeMutablePointer<Class>? {
    guard let raw = UnsafeMutableRawPointer(instance) else { return nil }
    let type = InstanceSlot.peek(raw)?.type ?? ObjectType.of(cgst_type_of_instance(raw))
    return type?.parent?.assumingMemoryBound(to: Class.self)
}
