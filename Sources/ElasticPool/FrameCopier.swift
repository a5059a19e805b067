import CGStreamer
public import GStreamer

/// Copies frames into buffers of its own pool, on the streaming thread.
public struct FrameCopier<P: ElasticBufferPool> {
    /// The pool of the copies.
    public let pool: PoolReference<P>
    private let layout: GstVideoInfo

    /// Activates `pool` for frames of `caps`; nil if the caps are not raw video, or if there is no memory.
    public init?(_ pool: PoolReference<P>, _ caps: Caps, for demand: AllocationDemand) {
        let layout = caps.withUnsafePointer { PoolRecipe.rawVideo($0) }
        guard let layout, pool.activate(caps, for: demand) else { return nil }
        self.pool = pool
        self.layout = layout
    }

    /// Copies `frame` into a buffer of the pool; nil if the frame is dropped, see `WhenEmpty.drop`.
    ///
    /// `host` posts an error if the copy fails.
    public func copy(of frame: borrowing Buffer, for host: ElementHost) throws(FlowResult) -> Buffer? {
        let span = PoolMarks.copy.begin(frame: frame.withUnsafePointer { PoolMarks.frame($0, host) })
        defer { span.end() }
        let copy = try acquire(for: host)
        let isCopied = copy.withUnsafePointer { target in
            frame.withUnsafePointer { source in
                withUnsafePointer(to: layout) { cgst_picture_copy(target, source, $0) != 0 }
            }
        }
        guard isCopied else {
            throw host.fail(.stream(.format, "A video frame is smaller than its description says."))
        }
        if pool.pool.elastic.passes(copy, host) { return nil }
        return copy
    }

    private func acquire(for host: ElementHost) throws(FlowResult) -> Buffer {
        do throws(FlowResult) {
            return try pool.acquire()
        } catch {
            throw error == .flushing
                ? .flushing : host.fail(.resource(.noSpaceLeft, "There is no memory left for video frames."))
        }
    }
}
