import CGStreamer
import Glibc
import Testing

/// A source that pushes into a full queue goes on at once.
@Suite struct EntranceTests {
    private let pushCount = 5_000

    /// How often the thread that pushes gave up the processor of its own accord.
    ///
    /// That is what waiting is. Times would say as much of what else the machine does.
    @Test func aSourceDoesNotWaitForASlowConsumer() {
        let rig = Rig(
            "backpressurequeue", [("max-in-flight", "2"), ("in-flight-timeout", "0"), ("max-size-buffers", "1")])
        rig.link()
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", format: GST_FORMAT_TIME)
        // Two are out and stay there.
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
        // RUSAGE_THREAD, which glibc shows to GNU sources alone.
        getrusage(1, &usage)
        return Int(usage.ru_nvcsw)
    }
}
