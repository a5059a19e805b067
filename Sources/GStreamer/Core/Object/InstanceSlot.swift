import CGStreamer

/// The pointer behind every C instance, which owns the Swift object.
///
/// It lies at the same offset for all classes, behind the largest C instance. A C method that a class inherits finds the
/// Swift object without looking up its type.
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

    /// Hands `object` to the C instance, which owns it until `release`.
    static func fill(_ instance: UnsafeMutableRawPointer, with object: Instance) {
        room(in: instance).pointee = Unmanaged.passRetained(object).toOpaque()
    }

    static func release(in instance: UnsafeMutableRawPointer) {
        guard let object = room(in: instance).pointee else { return }
        room(in: instance).pointee = nil
        Unmanaged<Instance>.fromOpaque(object).release()
    }

    /// The object; nil before the C instance has one, which is while the element's `init` runs.
    static func peek(_ instance: UnsafeMutableRawPointer) -> Instance? {
        room(in: instance).pointee.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Lends the object for one call, without retain or release: the C instance owns it.
    @inline(__always)
    static func lend<R>(_ instance: UnsafeMutableRawPointer, _ body: (Instance) -> R) -> R {
        // Filled before the instance is handed out, emptied when it is finalized: C never calls without.
        Unmanaged<Instance>.fromOpaque(room(in: instance).pointee!)._withUnsafeGuaranteedRef(body)
    }
}

/// Lends the Swift object behind a C instance to a C method.
@inline(__always)
func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (Instance) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot.lend(UnsafeMutableRawPointer(instance!), body)
}

/// The parent class's methods of a C instance, as `Class`.
@inline(__always)
func parentClass<C, Class>(of instance: UnsafeMutablePointer<C>?, _: Class.Type) -> UnsafeMutablePointer<Class>? {
    guard let raw = UnsafeMutableRawPointer(instance) else { return nil }
    let type = InstanceSlot.peek(raw)?.type ?? ObjectType.of(cgst_type_of_instance(raw))
    return type?.parent?.assumingMemoryBound(to: Class.self)
}
