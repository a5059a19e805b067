import CGStreamer
import Glibc
import Synchronization

/// The published load, played in real time.
///
/// A source produces 30 frames of 1920x1080 BGRx per second. A consumer holds each frame for 25 to 50 ms, in bursts.
package enum PoolLoad {
    private static let caps = "video/x-raw,format=BGRx,width=1920,height=1080,framerate=30/1"
    private static let bytes = 1920 * 1080 * 4

    /// Plays the load with three pools at the same time, each in its own process, for `seconds`.
    package static func compare(seconds: Int) {
        print(
            padded("", 12) + padded("frames", 8) + padded("stalls", 8) + padded("%", 8) + padded("mean MB", 10)
                + padded("peak MB", 10) + padded("p50 us", 10) + padded("p99 us", 12) + padded("max us", 12)
                + padded("<5 ms %", 10))
        fflush(nil)
        for policy in ["fixed-8", "fixed-16", "adaptive"] {
            let words: [String] = ["/proc/self/exe", "pool", "real-one", "\(seconds)", policy]
            var arguments: [UnsafeMutablePointer<gchar>?] = words.map { (word: String) in g_strdup(word) }
            arguments.append(nil)
            defer { for argument in arguments { g_free(argument) } }
            var process: pid_t = 0
            posix_spawn(&process, "/proc/self/exe", nil, nil, arguments, environ)
        }
        while wait(nil) > 0 {}
    }

    /// Plays the load with the pool `policy` and prints its row of the table.
    package static func run(_ policy: String, seconds: Int) {
        let isStock = policy != "adaptive"
        let largest = policy == "fixed-8" ? 8 : 16
        let watcher = Watcher {
            TestPool(
                isStock: isStock, caps: caps, size: bytes, minimum: isStock ? largest : 0, maximum: largest)
        }
        watcher.play(frames: seconds * 30)
        let times = watcher.acquireTimes.sorted()
        func percentile(_ share: Double) -> String {
            digits(Double(times[min(times.count - 1, Int(Double(times.count) * share))]) / 1000)
        }
        let fast = Double(times.filter { $0 < 5_000_000 }.count) * 100 / Double(times.count)
        print(
            padded(policy, 12) + padded("\(times.count)", 8) + padded("\(watcher.stalls)", 8)
                + padded(digits(Double(watcher.stalls) * 100 / Double(times.count)), 8)
                + padded(digits(watcher.meanBytes / 1e6), 10) + padded(digits(watcher.peakBytes / 1e6), 10)
                + padded(percentile(0.5), 10) + padded(percentile(0.99), 12) + padded(percentile(1), 12)
                + padded(digits(fast), 10))
    }

    /// Threads of a source, of a consumer and of a sampler of the resident memory.
    ///
    /// Each thread writes only its own fields. They are read after all threads have ended.
    private final class Watcher: @unchecked Sendable {  // No two threads write the same field.
        private let pool: TestPool
        private let queue = g_async_queue_new()
        private let isOver = Atomic<Bool>(false)
        private let base: Double
        private(set) var acquireTimes: [UInt64] = []
        private(set) var stalls = 0
        private(set) var meanBytes = 0.0
        private(set) var peakBytes = 0.0

        init(_ makePool: () -> TestPool) {
            gst_init(nil, nil)
            base = Self.residentBytes()
            pool = makePool()
        }

        func play(frames: Int) {
            acquireTimes.reserveCapacity(frames)
            onThreads(3) { [self] index in
                switch index {
                case 0: produce(frames)
                case 1: consume(frames)
                default: look()
                }
            }
        }

        private func produce(_ frames: Int) {
            var due = g_get_monotonic_time()
            for frame in 0..<frames {
                let early = due - g_get_monotonic_time()
                if early > 0 { g_usleep(gulong(early)) }
                // A camera does not wait. It skips the frames that were due while the pool was empty.
                repeat { due += gint64(LoadTrace.frameMicroseconds) } while due < g_get_monotonic_time()
                var buffer: UnsafeMutablePointer<GstBuffer>?
                var parameters = GstBufferPoolAcquireParams()
                parameters.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
                let asked = gst_util_get_timestamp()
                if gst_buffer_pool_acquire_buffer(pool.raw, &buffer, &parameters) != GST_FLOW_OK {
                    stalls += 1
                    gst_buffer_pool_acquire_buffer(pool.raw, &buffer, nil)
                }
                acquireTimes.append(UInt64(gst_util_get_timestamp() &- asked))
                gst_buffer_memset(buffer, 0, UInt8(truncatingIfNeeded: frame), gsize(bytes))
                g_async_queue_push(queue, buffer)
            }
        }

        private func consume(_ frames: Int) {
            var trace = LoadTrace(.camera, seed: 1)
            for _ in 0..<frames {
                let buffer = g_async_queue_pop(queue)!.assumingMemoryBound(to: GstBuffer.self)
                g_usleep(gulong(trace.next()))
                gst_buffer_unref(buffer)
            }
            isOver.store(true, ordering: .relaxed)
        }

        private func look() {
            var count = 0.0
            while !isOver.load(ordering: .relaxed) {
                let bytes = Self.residentBytes() - base
                count += 1
                meanBytes += (bytes - meanBytes) / count
                peakBytes = max(peakBytes, bytes)
                g_usleep(50_000)
            }
        }

        private static func residentBytes() -> Double {
            var text: UnsafeMutablePointer<gchar>?
            guard g_file_get_contents("/proc/self/statm", &text, nil, nil) != 0, let text else { return 0 }
            defer { g_free(text) }
            return Double(String(cString: text).split(separator: " ")[1])! * Double(sysconf(CInt(_SC_PAGESIZE)))
        }
    }
}
