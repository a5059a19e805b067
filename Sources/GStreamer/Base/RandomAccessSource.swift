import CGStreamer
import Threads

/// A source of bytes at any offset, such as a file: it has one source pad.
///
/// Demuxers read such a source at the offsets that they require (pull mode); other elements receive its bytes in order,
/// and may seek in bytes. `GstBaseSrc` serializes the `mutating` methods, so a conforming type may be a `struct`
/// without a lock. Nothing interrupts `read`: a source that waits for a network is a `PushSource`.
///
/// The corresponding C class is `GstBaseSrc`.
public protocol RandomAccessSource: Element, ~Copyable {
    /// Number of bytes of the stream; read once, after `start`, and constant until `stop`.
    ///
    /// The corresponding C method is `get_size`.
    var byteCount: UInt64 { get }

    /// Fills `bytes` with those at `offset`, and returns their number.
    ///
    /// A lower number than that of `bytes` means that the stream ends there, and 0 that it has no byte at `offset`.
    /// Called on the streaming thread, which may be that of a demuxer. The corresponding C method is `fill`.
    mutating func read(
        at offset: UInt64, into bytes: inout MutableRawSpan, _ settings: Settings
    ) throws(FlowResult) -> Int
}

/// Registers `E` as a subclass of `GstBaseSrc`.
///
/// The same element may be registered again. The corresponding C function is `gst_element_register`.
public func register<E: RandomAccessSource & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_base_src_get_type(), initClass: setRandomAccessSourceMethods
    ) { raw, type, rows in
        gst_base_src_set_format(raw.assumingMemoryBound(to: GstBaseSrc.self), GST_FORMAT_BYTES)
        return RandomAccessSourceInstance<E>(raw, type, rows)
    }
}

private final class RandomAccessSourceInstance<E: RandomAccessSource & ~Copyable>: ElementInstance<E> {
    /// The size; nil while the source is not started.
    private let size = Mutex<UInt64?>(nil)

    override var startsWithState: Bool { false }

    override func start() -> Bool {
        guard super.start() else { return false }
        let count = element.byteCount
        size.withLock { $0 = count }
        return true
    }

    override func stop() {
        super.stop()
        size.withLock { $0 = nil }
    }

    override var byteCount: UInt64? { size.withLock { $0 } }

    override func fill(_ raw: RawBuffer, at offset: UInt64, count: Int) -> GstFlowReturn {
        flow { () throws(FlowResult) in
            let buffer = WritableBuffer(raw)
            buffer.keep(0..<count)
            let result: Result<Int, FlowResult>? = buffer.withMutableBytes { bytes in
                do throws(FlowResult) {
                    return .success(try element.read(at: offset, into: &bytes, store.settings))
                } catch {
                    return .failure(error)
                }
            }
            guard let result else { throw host.fail(.resource(.write, "The memory of a buffer is not writable.")) }
            let read = try result.get()
            guard read > 0 else { throw .endOfStream }
            buffer.keep(0..<read)
            raw.pointee.offset = guint64(offset)
            raw.pointee.offset_end = guint64(offset) &+ guint64(buffer.byteCount)
        }
    }
}

private func setRandomAccessSourceMethods(_ gClass: UnsafeMutableRawPointer) {
    let source = gClass.assumingMemoryBound(to: GstBaseSrcClass.self)
    source.pointee.start = { lend($0) { $0.start() } }
    source.pointee.stop = { perform($0) { $0.stop() } }
    source.pointee.is_seekable = { _ in 1 }
    source.pointee.get_size = { source, size in
        guard let count = lend(source, { $0.byteCount }) else { return 0 }
        size?.pointee = guint64(count)
        return 1
    }
    source.pointee.fill = { source, offset, count, buffer in
        lend(source, buffer, else: GST_FLOW_ERROR) { $0.fill($1, at: UInt64(offset), count: Int(count)) }
    }
}
