import CGStreamer

/// Slot for the pointer to the Swift object in a C instance; the C instance owns the object.
///
/// The slot has the same offset in all classes, after the largest C instance structure. Therefore an inherited C method
/// finds the Swift object without a lookup of the type.
enum InstanceSlot {
    static var offset: Int {
        max(
            MemoryLayout<GstElement>.stride, MemoryLayout<GstBin>.stride, MemoryLayout<GstBaseTransform>.stride,
            MemoryLayout<GstVideoFilter>.stride, MemoryLayout<GstPushSrc>.stride, MemoryLayout<GstBaseSink>.stride,
            MemoryLayout<GstBufferPool>.stride, MemoryLayout<GstSystemClock>.stride, MemoryLayout<GstTracer>.stride,
            MemoryLayout<GstDeviceProvider>.stride, MemoryLayout<GstDevice>.stride,
            MemoryLayout<GstVideoAggregator>.stride, MemoryLayout<GstVideoAggregatorConvertPad>.stride)
    }
    static var instanceSize: Int { offset + MemoryLayout<UnsafeMutableRawPointer>.stride }

    @inline(__always)
    private static func room(in instance: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        instance.advanced(by: offset).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Stores `object` in the C instance; the C instance owns the object until `release`.
    static func fill(_ instance: UnsafeMutableRawPointer, with object: Instance) {
        room(in: instance).pointee = Unmanaged.passRetained(object).toOpaque()
    }

    static func release(in instance: UnsafeMutableRawPointer) {
        guard let object = room(in: instance).pointee else { return }
        room(in: instance).pointee = nil
        Unmanaged<Instance>.fromOpaque(object).release()
    }

    /// The Swift object; nil until the `init` of the element has returned.
    static func peek(_ instance: UnsafeMutableRawPointer) -> Instance? {
        room(in: instance).pointee.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls `body` with the object, without retain and release, because the C instance owns it.
    @inline(__always)
    static func lend<R>(_ instance: UnsafeMutableRawPointer, _ body: (Instance) -> R) -> R {
        // The slot is set in `instance_init` and cleared in `finalize`. C calls other methods only between these calls.
        Unmanaged<Instance>.fromOpaque(room(in: instance).pointee!)._withUnsafeGuaranteedRef(body)
    }
}

/// Calls `body` with the Swift object of a C instance.
@inline(__always)
func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (Instance) -> R) -> R {
    // C passes a non-null instance to its methods.
    InstanceSlot.lend(UnsafeMutableRawPointer(instance!), body)
}

/// Calls `body` with the Swift object of a C instance and `argument`; returns `absent` if `argument` is NULL.
@inline(__always)
func lend<C, Argument, R>(
    _ instance: UnsafeMutablePointer<C>?, _ argument: Argument?, else absent: R, _ body: (Instance, Argument) -> R
) -> R {
    guard let argument else { return absent }
    return lend(instance) { body($0, argument) }
}

/// Calls `body` with the Swift object of a C instance and returns TRUE, for C methods that cannot fail.
@inline(__always)
func perform<C>(_ instance: UnsafeMutablePointer<C>?, _ body: (Instance) -> Void) -> gboolean {
    lend(instance, body)
    return 1
}

/// Calls `body` with the Swift object of a C instance, and converts the result for C.
@inline(__always)
func lend<C>(_ instance: UnsafeMutablePointer<C>?, _ body: (Instance) -> Bool) -> gboolean {
    lend(instance, body) ? 1 : 0
}

/// Calls `body` with the Swift object of a C instance and `argument`; returns FALSE if `argument` is NULL.
@inline(__always)
func lend<C, Argument>(
    _ instance: UnsafeMutablePointer<C>?, _ argument: Argument?, _ body: (Instance, Argument) -> Bool
) -> gboolean {
    lend(instance, argument, else: false, body) ? 1 : 0
}

/// A C instance structure whose class structure is `Class`.
protocol ClassInstance {
    associatedtype Class
}

extension GObject: ClassInstance { typealias Class = GObjectClass }

@inline(__always)
func parentClass<C: ClassInstance>(of instance: UnsafeMutablePointer<C>?) -> UnsafeMutablePointer<C.Class>? {
    guard let raw = UnsafeMutableRawPointer(instance) else { return nil }
    let type = InstanceSlot.peek(raw)?.type ?? ObjectType.of(cgst_type_of_instance(raw))
    return type?.parent?.assumingMemoryBound(to: C.Class.self)
}
