public import GStreamer

/// Copies frames into buffers of a pool of its own, on the streaming thread.
public struct FrameCopier<P: ElasticBufferPool> {
    /// The pool of the copies.
    public let pool: PoolReference<P>

    /// Activates `pool` for frames of `caps`; nil if the caps are not raw video, or if there is no memory.
    public init?(_ pool: PoolReference<P>, _ caps: Caps, for demand: AllocationDemand) {
        guard caps.isRawVideo, pool.activate(caps, for: demand) else { return nil }
        self.pool = pool
    }

    /// Copies `frame`, with the caps of the pool, into a buffer of the pool; nil if `WhenEmpty.drop` drops the frame.
    ///
    /// `host` posts an error if the copy fails.
    public func copy(of frame: borrowing Buffer, _ caps: Caps, for host: ElementHost) throws(FlowResult) -> Buffer? {
        let span = PoolMarks.copy.begin(frame: PoolMarks.frame(frame, host))
        defer { span.end() }
        let copy = try acquire(for: host)
        guard caps.copyFrame(frame, to: copy) else {
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
