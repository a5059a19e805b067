import CGStreamer
import GstTestSupport
import Testing

/// Runs GStreamer's tests of `GstBufferPool` with this pool.
@Suite struct CheckSuiteTests {
    @Test func newBufferFromEmptyPool() throws {
        let pool = Pool(10)
        let buffer = try pool.take()
        #expect(gst_buffer_get_size(buffer) == 10 && pool.counts.inUse == 1)
        gst_buffer_unref(buffer)
        #expect(pool.counts.inUse == 0)
        pool.deactivate()
    }

    @Test func bufferIsRecycled() throws {
        var pool: Pool? = Pool(10)
        let freed = Freed()
        let first = try pool!.take()
        freed.watch(first)
        gst_buffer_unref(first)
        #expect(freed.count == 0)
        let second = try pool!.take()
        #expect(second == first)
        gst_buffer_unref(second)
        pool!.deactivate()
        pool = nil
        #expect(freed.count == 1)
    }

    @Test func bufferOutOfOrderReuse() throws {
        var pool: Pool? = Pool(10)
        let freed = Freed()
        let (one, two) = (try pool!.take(), try pool!.take())
        freed.watch(one)
        freed.watch(two)
        gst_buffer_unref(two)
        #expect(freed.count == 0)
        let again = try pool!.take()
        #expect(again == two)
        gst_buffer_unref(one)
        gst_buffer_unref(again)
        pool!.deactivate()
        pool = nil
        #expect(freed.count == 2)
    }

    @Test func poolConfigBufferSize() throws {
        let pool = Pool(10)
        let buffer = try pool.take()
        #expect(gst_buffer_get_size(buffer) == 10)
        gst_buffer_unref(buffer)
    }

    @Test func inactivePoolReturnsFlushing() {
        #expect(Pool(10, isActive: false).acquire().0 == GST_FLOW_FLUSHING)
    }

    @Test func changedBuffersAreDiscarded() throws {
        let pool = Pool(10)
        let freed = Freed()
        let emptied = try pool.take()
        freed.watch(emptied)
        gst_buffer_remove_all_memory(emptied)
        gst_buffer_unref(emptied)
        #expect(freed.count == 1)

        let resized = try pool.take()
        freed.watch(resized)
        gst_buffer_resize(resized, 8, 2)
        gst_buffer_unref(resized)
        #expect(freed.count == 1)

        let shared = try pool.take()
        #expect(shared == resized)
        let memory = gst_buffer_get_memory(shared, 0)
        gst_buffer_unref(shared)
        gst_memory_unref(memory)
        #expect(freed.count == 1)

        let locked = try pool.take()
        #expect(locked == shared)
        let lockedMemory = UnsafeMutableRawPointer(gst_buffer_get_memory(locked, 0)!)
        gst_mini_object_lock(lockedMemory.assumingMemoryBound(to: GstMiniObject.self), GST_LOCK_FLAG_EXCLUSIVE)
        gst_buffer_unref(locked)
        gst_mini_object_unlock(lockedMemory.assumingMemoryBound(to: GstMiniObject.self), GST_LOCK_FLAG_EXCLUSIVE)
        gst_memory_unref(lockedMemory.assumingMemoryBound(to: GstMemory.self))
        #expect(freed.count == 2)
        #expect(pool.counts.discarded == 2)
    }

    @Test func activationAndConfig() {
        let pool = Pool()
        // GStreamer logs an error when this activation fails.
        #expect(!pool.activate())
        #expect(pool.configure(10, 10))
        #expect(pool.activate())
        #expect(pool.counts.size == 10)
        #expect(gst_buffer_pool_set_config(pool.raw, gst_buffer_pool_get_config(pool.raw)) != 0)
        #expect(!pool.configure(12, 10))
        #expect(gst_buffer_pool_is_active(pool.raw) != 0)
        pool.deactivate()
    }

    @Test func configValidate() {
        let pool = Pool(5, 4, 30, isActive: false)
        let config = gst_buffer_pool_get_config(pool.raw)!
        defer { gst_structure_free(config) }
        func isValid(_ caps: String, _ size: guint, _ minimum: guint) -> Bool {
            let caps = gst_caps_from_string(caps)
            defer { gst_caps_unref(caps) }
            return gst_buffer_pool_config_validate_params(config, caps, size, minimum, 0) != 0
        }
        #expect(isValid("test/data", 5, 4) && isValid("test/data", 5, 2) && isValid("test/data", 4, 4))
        #expect(!isValid("test/data", 5, 6) && !isValid("test/data2", 5, 4))
    }

    @Test func flushingPoolReturnsFlushing() throws {
        let pool = Pool(10)
        gst_buffer_pool_set_flushing(pool.raw, 1)
        #expect(pool.acquire().0 == GST_FLOW_FLUSHING)
        gst_buffer_pool_set_flushing(pool.raw, 0)
        gst_buffer_unref(try pool.take())
    }

    @Test func noDeadlockForADiscardedBuffer() throws {
        // The release must wake the acquire before the governor does, which runs twice a second. A busy machine may
        // delay the acquire, so one of ten attempts is sufficient.
        let isWoken = try (0..<10).contains { _ in
            let pool = Pool(1, 1, 1)
            let first = Shared(value: try pool.take())
            let thread = pool.whenAnAcquireWaits {
                gst_buffer_remove_all_memory(first.value)
                gst_buffer_unref(first.value)
            }
            gst_buffer_unref(try pool.take())
            thread.join()
            return pool.counts.stallTime < .milliseconds(50)
        }
        #expect(isWoken)
    }

    /// GStreamer 1.22 frees the metas of a buffer before its memory, so no pool can reuse the parent buffer.
    @Test func parentMetaKeepsTheBufferAsInTheStockPool() throws {
        let ours = Pool(1)
        let stock = try #require(gst_buffer_pool_new())
        defer { gst_object_unref(stock) }
        let config = gst_buffer_pool_get_config(stock)
        gst_buffer_pool_config_set_params(config, nil, 1, 0, 0)
        gst_buffer_pool_set_config(stock, config)
        gst_buffer_pool_set_active(stock, 1)
        var outcomes: [[Int]] = []
        for pool in [ours.raw, stock] {
            let (freed, freedChild) = (Freed(), Freed())
            var parent: UnsafeMutablePointer<GstBuffer>?
            gst_buffer_pool_acquire_buffer(pool, &parent, nil)
            freed.watch(try #require(parent))
            let child = try #require(gst_buffer_new())
            gst_buffer_append_memory(child, gst_buffer_get_memory(parent, 0))
            gst_buffer_add_parent_buffer_meta(child, parent)
            freedChild.watch(child)
            gst_buffer_unref(parent)
            var counts = [freed.count, freedChild.count]
            gst_buffer_unref(child)
            counts += [freed.count, freedChild.count]
            outcomes.append(counts)
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0][0] == 0 && outcomes[0][1] == 0 && outcomes[0][3] == 1)
        gst_buffer_pool_set_active(stock, 0)
    }
}
