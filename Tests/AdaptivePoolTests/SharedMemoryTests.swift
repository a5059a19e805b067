import CGStreamer
import CGStreamerCheck
import Glibc
import GstTestSupport
import Testing

@testable import ElasticPool
@testable import GStreamer

@Suite(.serialized) struct SharedMemoryTests {
    /// Sends a frame in memfd memory to another process as a file descriptor, and reads the changes of that process.
    ///
    /// A copy of the frame would not contain the changes.
    @Test func aSecondProcessMapsTheFrameWithoutACopy() throws {
        let maker = try #require(MemoryMaker(.memfd))
        let memory = try #require(maker.make(1 << 20, GstAllocationParams()))
        defer { gst_memory_unref(memory) }
        #expect(gst_is_fd_memory(memory) != 0)
        var map = GstMapInfo()
        #expect(gst_memory_map(memory, &map, GST_MAP_WRITE) != 0)
        defer { gst_memory_unmap(memory, &map) }
        map.data[0] = 42
        map.data[(1 << 20) - 1] = 43
        var ends: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let child = cgst_second_process(ends[1])
        #expect(child > 0)
        #expect(cgst_send_file(ends[0], gst_fd_memory_get_fd(memory)) == 0)
        var status: CInt = 0
        waitpid(child, &status, 0)
        #expect(status == 0)
        #expect(map.data[0] == 142 && map.data[(1 << 20) - 1] == 143)
        for end in ends { close(end) }
    }

    @Test func allocatorIsFreedWithItsLastMemory() throws {
        var watch = GWeakRef()
        do {
            let maker = try #require(MemoryMaker(.memfd))
            let memory = try #require(maker.make(4096, GstAllocationParams()))
            g_weak_ref_init(&watch, memory.pointee.allocator)
            gst_memory_unref(memory)
        }
        #expect(g_weak_ref_get(&watch) == nil)
        g_weak_ref_clear(&watch)
    }

    @Test func theFileCannotBeTruncated() throws {
        let memory = try #require(MemoryMaker(.memfd)?.make(100_000, GstAllocationParams()))
        defer { gst_memory_unref(memory) }
        #expect(ftruncate(gst_fd_memory_get_fd(memory), 10) != 0)
    }

    @Test(arguments: ["memfd", "udmabuf"]) func elementOffersSharedMemory(kind: String) {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=20 ! video/x-raw,width=320 ! adaptivepool name=p memory=\(kind) ! fakesink")
        let heard = pipeline.play().filter { !$0.hasPrefix("element") }
        let falls = kind == "udmabuf" && MemoryMaker(.udmabuf) == nil
        #expect(heard == (falls ? ["warning: Frames are kept in memfd memory."] : []) + ["eos"])
    }

    /// Simulates that some kinds of memory are not available.
    @Test func fallsBackToTheNextAvailableMemory() {
        func fall(_ wish: PoolMemory, _ lacking: [PoolMemory]) -> (PoolMemory, String?) {
            let (memory, reason) = wish.available { lacking.contains($0) ? "no \($0)" : nil }
            return (memory, reason)
        }
        #expect(fall(.udmabuf, []) == (.udmabuf, nil))
        #expect(fall(.udmabuf, [.udmabuf]) == (.memfd, "no udmabuf"))
        #expect(fall(.udmabuf, [.udmabuf, .memfd]) == (.system, "no udmabuf; no memfd"))
        #expect(fall(.memfd, [.memfd]) == (.system, "no memfd"))
        #expect(fall(.memfd, [.udmabuf]) == (.memfd, nil))
        #expect(fall(.system, [.memfd]) == (.system, nil))
    }

    /// New caps create a new pool, which does not repeat the warning.
    @Test(.disabled(if: MemoryMaker(.udmabuf) != nil)) func warnsAboutAFallbackOncePerStart() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=20 ! video/x-raw,width=320 ! capsfilter name=c ! "
                + "adaptivepool name=p memory=udmabuf ! fakesink name=s")
        for _ in 0..<2 {
            let heard = pipeline.play().filter { !$0.hasPrefix("element") }
            // The next start repeats the warning.
            #expect(heard == ["warning: Frames are kept in memfd memory.", "eos"])
            pipeline.go(GST_STATE_NULL)
        }
        let caps = Pipeline(
            "videotestsrc ! capsfilter name=c caps=video/x-raw,width=64 ! adaptivepool memory=udmabuf ! fakesink")
        var heard = caps.play(seconds: 0.2)
        for width in [80, 96, 112] {
            caps.set("caps", to: "video/x-raw,width=\(width)", of: "c")
            heard += caps.listen(seconds: 0.2)
        }
        #expect(heard.filter { $0.hasPrefix("warning") }.count == 1)
    }

    @Test func shrinkingReturnsMemoryToTheSystem() throws {
        let bytes = 8_294_400
        let before = resident()
        let pool = Pool(guint(bytes))
        pool.elastic.resize(to: 16, limit: 16)
        #expect(resident() - before > 15 * bytes)
        pool.elastic.resize(to: 3, limit: 16)
        #expect(resident() - before < 5 * bytes)
        pool.deactivate()
        #expect(resident() - before < bytes)
    }

    private func resident() -> Int {
        var text: UnsafeMutablePointer<gchar>?
        g_file_get_contents("/proc/self/statm", &text, nil, nil)
        defer { g_free(text) }
        return Int(String(cString: text!).split(separator: " ")[1])! * Int(getpagesize())
    }
}
