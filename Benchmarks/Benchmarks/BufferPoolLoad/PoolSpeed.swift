import CGStreamer

/// Time to acquire and release a buffer, alternately from `GstVideoBufferPool` and from `adaptivepool`.
package enum PoolSpeed {
    private static let caps = "video/x-raw,format=BGRx,width=64,height=64,framerate=30/1"
    private static let rounds = 9
    private static let count = 200_000

    package static func run() {
        print("acquire and release, nanoseconds for both (medians of \(rounds) rounds)\n")
        print(
            padded("threads", 10) + padded("held", 8) + padded("core's", 12) + padded("ours", 12) + padded("ratio", 12))
        for threads in [1, 2] {
            for held in [1, 4] {
                var times: [[Double]] = [[], []]
                for _ in 0..<rounds {
                    for (index, isStock) in [true, false].enumerated() {
                        times[index].append(nanoseconds(isStock: isStock, threads: threads, held: held))
                    }
                }
                let medians = times.map { $0.sorted()[rounds / 2] }
                print(
                    padded("\(threads)", 10) + padded("\(held)", 8) + padded(digits(medians[0]), 12)
                        + padded(digits(medians[1]), 12) + padded(digits(medians[0] / medians[1]), 12))
            }
        }
    }

    private static func nanoseconds(isStock: Bool, threads: Int, held: Int) -> Double {
        let pool = TestPool(isStock: isStock, caps: caps, size: 64 * 64 * 4, minimum: 12, maximum: 16)
        let begin = gst_util_get_timestamp()
        onThreads(threads) { _ in
            var buffers = [UnsafeMutablePointer<GstBuffer>?](repeating: nil, count: held)
            for index in 0..<count {
                let slot = index % held
                if let old = buffers[slot] { gst_buffer_unref(old) }
                buffers[slot] = nil
                gst_buffer_pool_acquire_buffer(pool.raw, &buffers[slot], nil)
            }
            for buffer in buffers { if let buffer { gst_buffer_unref(buffer) } }
        }
        return Double(gst_util_get_timestamp() &- begin) / Double(count)
    }
}
