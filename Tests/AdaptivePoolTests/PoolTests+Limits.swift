import CGStreamer
import GstTestSupport
import PoolPolicy
import Testing

@testable import AdaptivePool
@testable import ElasticPool
@testable import GStreamer

/// Tests the limits of a pool and its governor.
extension PoolTests {
    @Test func growsOnDemandUpToTheLimit() throws {
        let pool = Pool(10, 0, 5)
        let held = try (0..<5).map { _ in try pool.take() }
        #expect(pool.counts.size == 5 && pool.counts.grown == 2)
        #expect(pool.acquire(dontWait: true).0 == GST_FLOW_EOS)
        for buffer in held { gst_buffer_unref(buffer) }
        #expect(pool.counts.size == 5)
    }

    /// With `.wait`, an acquire allocates only assured buffers (`PoolPlan.assured`); the governor allocates the others.
    @Test func waitMakesNoMoreThanTheAssuredBuffers() throws {
        let pool = Pool(10)
        pool.adaptive.poolStopped()
        pool.elastic.allow(upTo: 16, whenEmpty: .wait)
        let held = try (0..<3).map { _ in try pool.take() }
        pool.elastic.locked { $0.target = 8 }
        #expect(pool.acquire(dontWait: true).0 == GST_FLOW_EOS)
        gst_buffer_remove_all_memory(held[0])
        gst_buffer_unref(held[0])
        let (result, anew) = pool.acquire(dontWait: true)
        #expect(result == GST_FLOW_OK && pool.counts.grown == 1)
        for buffer in [anew!, held[1], held[2]] { gst_buffer_unref(buffer) }
    }

    @Test(arguments: [WhenEmpty.grow, .wait]) func raisesItsLimitWhenNoBufferIsReleased(whenEmpty: WhenEmpty) throws {
        let pool = Pool(10)
        let adaptive = pool.adaptive
        let held = try (0..<3).map { _ in try pool.take() }
        // The test sets the limits itself, so the governor must not run.
        adaptive.poolStopped()
        var rules = PoolRules()
        rules.cap = 3
        rules.exceedableTo = 100
        adaptive.state.withLock { $0.controller.rulesChanged(rules) }
        pool.elastic.allow(upTo: 3, whenEmpty: whenEmpty)
        let more = try (0..<8).map { _ in try pool.take() }
        #expect(adaptive.state.withLock { $0.controller.raises } == 1)
        #expect(pool.counts.stalls == 1 && pool.counts.size == 11 && pool.counts.stallTime >= .milliseconds(50))
        // After an acquire has found no idle buffer, the pool measures the time between releases.
        #expect(pool.elastic.locked { $0.longestGap } == .zero)
        for buffer in held + more { gst_buffer_unref(buffer) }
        #expect(pool.elastic.locked { $0.longestGap } > .zero)
    }

    @Test func returnsTheSpareBufferBeyondTheLimit() throws {
        let pool = Pool(10, 0, 3)
        pool.elastic.locked {
            $0.whenEmpty = .drop; $0.spare = gst_buffer_new_allocate(nil, 10, nil)
        }
        let held = try (0..<3).map { _ in try pool.take() }
        let spare = try pool.take()
        #expect(pool.elastic.isSpare(spare) && !held.contains(spare))
        #expect(pool.counts.dropped == 1)
        gst_buffer_unref(spare)
        #expect(!pool.elastic.isSpare(spare))
        for buffer in held { gst_buffer_unref(buffer) }
    }

    @Test func dropMayBeChosenWhileThePoolRuns() throws {
        let pool = Pool(10, 0, 3)
        pool.adaptive.poolStopped()
        pool.elastic.allow(upTo: 3, whenEmpty: .drop)
        let held = try (0..<3).map { _ in try pool.take() }
        #expect(pool.elastic.locked { $0.spare != nil })
        guard pool.elastic.locked({ $0.spare != nil }) else { return held.forEach { gst_buffer_unref($0) } }
        let spare = try pool.take()
        #expect(pool.elastic.isSpare(spare) && pool.counts.dropped == 1)
        gst_buffer_unref(spare)
        for buffer in held { gst_buffer_unref(buffer) }
    }

    /// A pool may be stopped, and started for other caps, while the governor of its earlier run decides.
    @Test func aGovernorOfAnOldRunDoesNotResize() throws {
        let pool = Pool(10, 6)
        let adaptive = pool.adaptive
        adaptive.poolStopped()
        let run = PoolRun(
            PoolActivation(generation: pool.elastic.locked { $0.generation }),
            needs: PoolNeeds(bytesInBuffer: 10, minimum: 0, maximum: nil), owner: nil)
        let hasEnded = Latch()
        let governor = TestThread {
            adaptive.govern(run)
            hasEnded.open()
        }
        // The governor of the earlier run ends at its first decision.
        #expect(hasEnded.wait())
        run.alarm.end()
        governor.join()
        #expect(pool.counts.size == 6)
    }
}
