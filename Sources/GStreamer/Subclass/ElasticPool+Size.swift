import CGStreamer

extension ElasticPool {
    /// Called when the pool is activated; false when the buffers that the stream asks for could not be made.
    func start() -> Bool {
        guard let recipe = locked({ $0.recipe }) else { return false }
        let plan = kind.plan(recipe.needs)
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
            state.longestGap = 0
            state.counts = PoolCounts()
            state.counts.bytesInBuffer = Int(recipe.size)
            return state.generation
        }
        let spare = plan.whenEmpty == .drop ? recipe.makeBuffer(maker, touch: plan.touches) : nil
        locked { $0.spare = spare }
        let isFull = grow(to: size, generation, touch: plan.touches)
        // With less than the plan a stream may go on, but not with less than it asks for.
        guard isFull || locked({ $0.counts.size }) >= max(recipe.needs.minimum, 1) else {
            free()
            kind.ranOutOfMemory()
            return false
        }
        kind.started(PoolActivation(generation: generation))
        return true
    }

    /// Called when the pool is deactivated and no buffer is in use any more.
    func stop() {
        kind.stop()
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
        for buffer in old { gst_buffer_unref(buffer) }
    }

    /// Makes buffers until there are `size`; false when one could not be made.
    private func grow(to size: Int, _ generation: Int, touch: Bool) -> Bool {
        while true {
            let order: (PoolRecipe, MemoryMaker)? = locked { state in
                guard state.generation == generation, state.counts.size < size, let recipe = state.recipe,
                    let maker = state.maker
                else { return nil }
                state.counts.added()
                state.shelf.reserve(state.counts.size)
                return (recipe, maker)
            }
            guard let (recipe, maker) = order else { return true }
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
            if let unwanted { gst_buffer_unref(unwanted) }
            if buffer == nil {
                kind.couldNotMakeBuffer()
                return false
            }
        }
    }

    // MARK: - For the kind

    /// Makes the pool as large as `size`, and lets it grow by itself up to `limit`; not for the streaming thread.
    ///
    /// New buffers are made, and their pages made present, before they are needed. Buffers that are idle go at once,
    /// those in use when they come back. Nothing happens when `activation` is over.
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
        for buffer in old { gst_buffer_unref(buffer) }
        guard isCurrent else { return }
        _ = grow(
            to: min(size, locked { $0.recipe?.needs.maximum ?? .max }), activation.generation, touch: true)
    }

    /// How far the pool may grow by itself, unless the kind is asked and allows more.
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

    /// Forbids acquires to wait, since the stream flushes or stops, or allows it again.
    ///
    /// They get a buffer beyond the limit instead: an error would be fatal to a decoder which itself is not flushed.
    func hurry(_ isHurried: Bool) {
        locked { state in
            state.isHurried = isHurried
            wake()
        }
    }

    /// Makes the buffer to be thrown away, unless there is one; before `drop` was chosen nobody needed it.
    private func makeSpare() {
        let order: (Int, PoolRecipe, MemoryMaker)? = locked { state in
            guard state.isRunning, state.spare == nil, state.spareInUse == nil, let recipe = state.recipe,
                let maker = state.maker
            else { return nil }
            return (state.generation, recipe, maker)
        }
        guard let (generation, recipe, maker) = order else { return }
        let buffer = recipe.makeBuffer(maker, touch: false)
        let unwanted: RawBuffer? = locked { state in
            guard state.generation == generation, state.spare == nil, state.spareInUse == nil else { return buffer }
            state.spare = buffer
            wake()
            return nil
        }
        if let unwanted { gst_buffer_unref(unwanted) }
    }

    var activation: PoolActivation { PoolActivation(generation: locked { $0.generation }) }

    public var counts: PoolCounts {
        locked { state in
            var counts = state.counts
            counts.inUse = state.shelf.usedCount
            counts.waiting = state.waiting
            counts.peak = max(counts.peak, counts.peakInWindow)
            return counts
        }
    }

    /// What the pool has done so far; a new window begins.
    public func endWindow() -> PoolCounts {
        let counts = self.counts
        locked { state in
            state.counts.peak = max(state.counts.peak, state.counts.peakInWindow)
            state.counts.peakInWindow = state.shelf.usedCount
            if !state.counts.hitLimit, state.waiting == 0 { state.isTight = false }
            state.counts.hitLimit = false
            state.longestGap -= state.longestGap / 8
        }
        return counts
    }
}
