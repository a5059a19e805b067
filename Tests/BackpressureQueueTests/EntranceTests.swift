import CGStreamer
import GstTestSupport
import Glibc
import Testing

/// A push into a full leaky queue does not block.
@Suite struct EntranceTests {
    private let pushCount = 5_000

    /// Counts the voluntary context switches of the pushing thread, one of which occurs for each wait.
    ///
    /// Elapsed times would depend on other load of the machine.
    @Test func sourceDoesNotWaitForSlowConsumer() {
        let rig = QueueRig(
            "backpressurequeue", [("max-in-flight", "2"), ("in-flight-timeout", "0"), ("max-size-buffers", "1")])
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

    private static var waits: Int {
        var usage = rusage()
        // 1 is RUSAGE_THREAD, which glibc defines only with _GNU_SOURCE.
        getrusage(1, &usage)
        return Int(usage.ru_nvcsw)
    }
}
