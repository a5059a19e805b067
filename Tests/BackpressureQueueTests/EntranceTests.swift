import CGStreamer
import GstTestSupport
import Glibc
import Testing

/// Tests frames that enter a full queue.
@Suite struct EntranceTests {
    private let pushCount = 5_000

    /// Counts the voluntary context switches of the pushing thread, because each wait causes one.
    ///
    /// The test measures no times, because other programs affect them.
    @Test func sourceDoesNotWaitForSlowConsumer() {
        let rig = QueueRig(
            [("max-in-flight", "2"), ("in-flight-timeout", "0"), ("max-size-buffers", "1")])
        rig.link()
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", format: GST_FORMAT_TIME)
        // Two frames stay in flight.
        for count in 1...2 {
            rig.push()
            #expect(eventually { rig.buffers.count == count })
        }
        let before = Self.waits
        for _ in 0..<pushCount { rig.push() }
        let waits = Self.waits - before
        #expect(waits < pushCount / 100, "\(waits) waits in \(pushCount) pushes")
        #expect(rig.number("dropped") == UInt64(pushCount - 1))
    }

    /// While the source waits for room, no frame arrives that could trigger the warning about the blocked push.
    @Test func warnsOfEachBlockedPushWhileTheSourceWaitsForRoom() {
        let rig = QueueRig(
            [("leaky", "no"), ("max-in-flight", "8"), ("in-flight-timeout", "1000000"), ("max-size-buffers", "1")])
        rig.link()
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", format: GST_FORMAT_TIME)
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        var texts: [String] = []
        for round in 1...2 {
            rig.block()
            // One frame is pushed, one is queued, and one waits.
            let source = TestThread { for _ in 0..<3 { rig.push() } }
            #expect(
                eventually {
                    texts += rig.messages().filter { $0.type == "warning" }.map { $0.text.filter { $0 != "\\" } }
                    return texts.count == round
                })
            rig.unblock()
            source.join()
            #expect(eventually { rig.buffers.count == 1 + 3 * round })
        }
        #expect(rig.number("dropped") == 0)
        #expect(texts.allSatisfy { $0.contains("until the push returns") }, "\(texts)")
    }

    private static var waits: Int {
        var usage = rusage()
        // 1 is RUSAGE_THREAD, which glibc defines only with _GNU_SOURCE.
        getrusage(1, &usage)
        return Int(usage.ru_nvcsw)
    }
}
