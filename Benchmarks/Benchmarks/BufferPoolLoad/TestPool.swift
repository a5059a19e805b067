import CGStreamer
import Glibc

/// A buffer pool of frames: `GstVideoBufferPool` or `GstAdaptiveBufferPool`.
final class TestPool: @unchecked Sendable {  // Buffer pools have their own locks.
    let raw: UnsafeMutablePointer<GstBufferPool>

    private static let setUp: Void = {
        gst_init(nil, nil)
        // The plugin is in the folder of this program.
        let program = g_file_read_link("/proc/self/exe", nil)
        let folder = g_path_get_dirname(program)
        let file = "\(String(cString: folder!))/libgstswiftvideo.so"
        g_free(program)
        g_free(folder)
        guard gst_plugin_load_file(file, nil) != nil else {
            print("There is no plugin to measure: run `swift build -c release --product gstswiftvideo` first.")
            exit(1)
        }
    }()

    init(isStock: Bool, caps text: String, size: Int, minimum: Int, maximum: Int) {
        _ = Self.setUp
        if isStock {
            raw = gst_video_buffer_pool_new()
        } else {
            raw = UnsafeMutableRawPointer(
                g_object_new_with_properties(g_type_from_name("GstAdaptiveBufferPool"), 0, nil, nil)!
            ).assumingMemoryBound(to: GstBufferPool.self)
            gst_object_ref_sink(raw)
        }
        let config = gst_buffer_pool_get_config(raw)
        let caps = gst_caps_from_string(text)
        gst_buffer_pool_config_set_params(config, caps, guint(size), guint(minimum), guint(maximum))
        gst_caps_unref(caps)
        gst_buffer_pool_set_config(raw, config)
        gst_buffer_pool_set_active(raw, 1)
    }

    deinit {
        gst_buffer_pool_set_active(raw, 0)
        gst_object_unref(raw)
    }
}

/// Runs `body` on `count` threads and joins them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Task: Sendable {
        let index: Int
        let body: @Sendable (Int) -> Void
        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.body = body
        }
    }
    let threads = (0..<count).map { index in
        g_thread_new(
            "bench",
            { data in
                let task = Unmanaged<Task>.fromOpaque(data!).takeRetainedValue()
                task.body(task.index)
                return nil
            }, Unmanaged.passRetained(Task(index, body)).toOpaque())
    }
    for thread in threads { g_thread_join(thread) }
}

func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

func digits(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}
