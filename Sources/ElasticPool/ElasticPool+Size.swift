extension ElasticPool {
    /// Activates the pool; false if there is no memory for the buffers that the stream requires.
    func start() -> Bool {
        guard let recipe = locked({ $0.recipe }) else { return false }
        let plan = owner.poolWillStart(recipe.needs)
        guard let maker = MemoryMaker(plan.memory) ?? MemoryMaker(.system) else { return false }
        let size = max(0, min(plan.size, recipe.needs.maximum ?? .max))
        let generation = locked { state in
            state.generation += 1
            state.isRunning = true
            state.maker = maker
            state.whenEmpty = plan.whenEmpty
            state.assured = max(size, plan.assured)
            state.target = state.assured
            state.limit = max(plan.limit ?? .max, state.target)
            state.isTight = false
            state.longestGap = .zero
            state.counts = PoolCounts()
            state.counts.bytesInBuffer = Int(recipe.size)
            return state.generation
        }
        let spare = plan.whenEmpty == .drop ? recipe.makeBuffer(maker, touch: plan.touches) : nil
        locked { $0.spare = spare }
        let isFull = grow(to: size, generation, touch: plan.touches)
        // A stream may continue with fewer buffers than planned, but not with fewer than it requires.
        guard isFull || locked({ $0.counts.size }) >= max(recipe.needs.minimum, 1) else {
            free()
            owner.ranOutOfMemory()
            return false
        }
        owner.poolStarted(PoolActivation(generation: generation))
        return true
    }

    /// Deactivates the pool when no buffer is in use.
    func stop() {
        owner.poolStopped()
        free()
    }

    private func free() {
        var old: [RawBuffer] = []
        locked { state in
            state.generation += 1
            state.isRunning = false
            state.maker = nil
            old.reserveCapacity(state.shelf.idleCount + 1)
            while state.shelf.idleCount > 0 { old.append(state.shelf.takeIdle()) }
            if let spare = state.spare { old.append(spare) }
            state.spare = nil
            state.counts.size = 0
            wake()
        }
        for buffer in old { buffer.unref() }
    }

    /// Allocates buffers up to `size`; false if there is no memory.
    private func grow(to size: Int, _ generation: Int, touch: Bool) -> Bool {
        while true {
            let job: (PoolRecipe, MemoryMaker)? = locked { state in
                guard state.generation == generation, state.counts.size < size, let recipe = state.recipe,
                    let maker = state.maker
                else { return nil }
                state.counts.added()
                state.shelf.reserve(state.counts.size)
                return (recipe, maker)
            }
            guard let (recipe, maker) = job else { return true }
            let buffer = recipe.makeBuffer(maker, touch: touch)
            let unwanted: RawBuffer? = locked { state in
                guard state.generation == generation else { return buffer }
                if let buffer {
                    state.shelf.putIdle(buffer)
                } else {
                    state.counts.size -= 1
                    state.counts.failures += 1
                }
                wake()
                return nil
            }
            unwanted?.unref()
            if buffer == nil {
                owner.allocationFailed()
                return false
            }
        }
    }

    // MARK: - For the owner

    /// Sets the number of buffers to `size`, and lets acquires grow the pool to `limit`.
    ///
    /// New buffers are allocated at once, with their pages present. Idle buffers are freed at once, and buffers in use
    /// at their release. Do not call this on a streaming thread. It does nothing after the end of `activation`.
    public func resize(to size: Int, limit: Int, in activation: PoolActivation) {
        var old: [RawBuffer] = []
        let isCurrent = locked { state in
            guard state.isRunning, state.generation == activation.generation else { return false }
            state.target = max(size, 0)
            state.limit = max(limit, state.target)
            old.reserveCapacity(max(0, state.counts.size - size))
            while state.counts.size > size, state.shelf.idleCount > 0 {
                old.append(state.shelf.takeOldestIdle())
                state.counts.size -= 1
            }
            return true
        }
        for buffer in old { buffer.unref() }
        guard isCurrent else { return }
        _ = grow(
            to: min(size, locked { $0.recipe?.needs.maximum ?? .max }), activation.generation, touch: true)
    }

    /// Sets the limit up to which acquires may grow the pool, and the response to an acquire that finds no idle buffer.
    public func allow(upTo limit: Int, whenEmpty: WhenEmpty, in activation: PoolActivation) {
        let isCurrent = locked { state in
            guard state.isRunning, state.generation == activation.generation else { return false }
            guard (state.limit, state.whenEmpty) != (max(limit, 1), whenEmpty) else { return true }
            state.limit = max(limit, 1)
            state.whenEmpty = whenEmpty
            wake()
            return true
        }
        if isCurrent, whenEmpty == .drop { makeSpare() }
    }

    /// Called with true during a flush or a stop, so that acquires do not wait but allocate buffers beyond the limit.
    ///
    /// The pool is not set to flushing, because a decoder that is not flushed yet treats a failed acquire as an error.
    public func forbidWaiting(_ mustNotWait: Bool) {
        locked { state in
            state.mustNotWait = mustNotWait
            wake()
        }
    }

    /// Allocates the spare buffer if there is none; called when `drop` is set while the pool runs.
    private func makeSpare() {
        let job: (Int, PoolRecipe, MemoryMaker)? = locked { state in
            guard state.isRunning, state.spare == nil, state.spareInUse == nil, let recipe = state.recipe,
                let maker = state.maker
            else { return nil }
            return (state.generation, recipe, maker)
        }
        guard let (generation, recipe, maker) = job else { return }
        let buffer = recipe.makeBuffer(maker, touch: false)
        let unwanted: RawBuffer? = locked { state in
            guard state.generation == generation, state.spare == nil, state.spareInUse == nil else { return buffer }
            state.spare = buffer
            wake()
            return nil
        }
        unwanted?.unref()
    }
}
