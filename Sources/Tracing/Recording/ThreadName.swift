import CSystem

/// Name of a thread in the kernel: at most 15 bytes, which may end inside a character.
struct ThreadName: Equatable {
    /// The 16 bytes, in memory order.
    var words: (UInt64, UInt64)

    static func == (left: ThreadName, right: ThreadName) -> Bool { left.words == right.words }

    /// The name of the calling thread.
    static var current: ThreadName {
        var name = ThreadName(words: (0, 0))
        unsafe withUnsafeMutableBytes(of: &name.words) { bytes in
            unsafe ctracing_thread_name(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        return name
    }

    /// The name that a thread of the process has now; nil if it has ended.
    ///
    /// Reads a file. GStreamer's tasks share threads, which take the name of the task.
    static func now(of thread: Int32) -> ThreadName? {
        var name = ThreadName(words: (0, 0))
        let found = unsafe withUnsafeMutableBytes(of: &name.words) { bytes in
            unsafe ctracing_name_of(thread, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        return found ? name : nil
    }

    /// The name as text; half a character becomes U+FFFD.
    var text: String {
        unsafe withUnsafeBytes(of: words) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
