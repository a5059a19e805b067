public import GStreamer
public import PoolPolicy

/// A pool class that makes the decisions for its `ElasticPool`.
///
/// Any thread may call it.
public protocol ElasticBufferPool: BufferPool {
    /// The pool that does the work.
    var elastic: ElasticPool { get }

    /// Called when the pool is activated; `needs` is what its configuration requires.
    func poolWillStart(_ needs: PoolNeeds) -> PoolPlan

    /// Called when the first buffers are made, before any is acquired.
    func poolStarted(_ activation: PoolActivation)

    /// Called when the pool is deactivated and all buffers have been released. Must not wait.
    func poolStopped()

    /// Called when there was no memory for a buffer and the pool continues without it.
    func allocationFailed()

    /// Called when there is no memory for the buffers that the stream requires; on the streaming thread.
    func ranOutOfMemory()

    /// Called when all buffers up to the limit are in use and an acquire would have to wait; on the streaming thread.
    ///
    /// Called again after each wait that timed out.
    func limitReached(_ exhaustion: GrowthLimit.Exhaustion) -> GrowthLimit.Verdict

    /// Called after every sixteenth acquire, and after each that found no idle buffer; on the streaming thread.
    func acquired(after time: Duration, foundIdle: Bool)
}

extension ElasticBufferPool {
    public static var options: [String] { PoolRecipe.options }

    public var host: BufferPoolHost { elastic.host }

    public func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        guard let recipe = PoolRecipe(configuration), host.parentSetConfiguration(configuration) else { return false }
        elastic.use(recipe)
        return true
    }

    public func start() -> Bool { elastic.start() }

    public func stop() -> Bool {
        elastic.stop()
        // If another thread allocates a buffer now, it frees the buffer at once.
        return true
    }

    // Inlinable, so that a class in another module calls the elastic pool directly, without its generic metadata.
    @inlinable
    public func acquire(waits: Bool) throws(FlowResult) -> Buffer { try elastic.acquire(waits: waits) }
    @inlinable
    public func release(_ buffer: consuming Buffer) { elastic.release(buffer) }

    public func allocate() throws(FlowResult) -> Buffer { try elastic.allocate() }
    public func flushStart() { elastic.wakeAll() }
}
