public import GStreamer
public import PoolPolicy

/// A pool class that makes the decisions for its `ElasticPool`; any thread may call its methods.
public protocol ElasticBufferPool: BufferPool {
    /// The pool that owns the buffers.
    var elastic: ElasticPool { get }

    /// Called when the pool is activated, with the requirements of its configuration.
    func poolWillStart(_ needs: PoolNeeds) -> PoolPlan

    /// Called after the first buffers are allocated, before any acquire.
    func poolStarted(_ activation: PoolActivation)

    /// Called when the pool is deactivated and all buffers are released; the method must not wait.
    func poolStopped()

    /// Called when a buffer could not be allocated and the pool continues without it.
    func allocationFailed()

    /// Called on the streaming thread when the buffers that the stream requires cannot be allocated.
    func ranOutOfMemory()

    /// Called on the streaming thread when all buffers up to the limit are in use, and again after each timeout.
    func limitReached(_ exhaustion: GrowthLimit.Exhaustion) -> GrowthLimit.Verdict

    /// Called on the streaming thread after every sixteenth acquire, and after each acquire that found no idle buffer.
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
        // If another thread allocates a buffer meanwhile, that buffer is freed at once.
        return true
    }

    // These methods are inlinable, so that a class in another module calls the elastic pool without generic metadata.
    @inlinable
    public func acquire(waits: Bool) throws(FlowResult) -> Buffer { try elastic.acquire(waits: waits) }
    @inlinable
    public func release(_ buffer: consuming Buffer) { elastic.release(buffer) }

    public func allocate() throws(FlowResult) -> Buffer { try elastic.allocate() }
    public func flushStart() { elastic.wakeAll() }
}
