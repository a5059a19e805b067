import CSystem

/// Name of a thread in the kernel: at most 15 bytes, which may end within a character.
struct ThreadName: Equatable {
    var words: (UInt64, UInt64)

    static func == (left: ThreadName, right: ThreadName) -> Bool { left.words == right.words }

    static var current: ThreadName {
        var name = ThreadName(words: (0, 0))
        unsafe withUnsafeMutableBytes(of: &name.words) { bytes in
            unsafe ctracing_thread_name(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        return name
    }

    /// Current name of a thread of the process, read from a file; nil if the thread has ended.
    ///
    /// GStreamer tasks share threads, and a thread takes the name of the task that it runs.
    static func now(of thread: Int32) -> ThreadName? {
        var name = ThreadName(words: (0, 0))
        let found = unsafe withUnsafeMutableBytes(of: &name.words) { bytes in
            unsafe ctracing_name_of(thread, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        return found ? name : nil
    }

    /// Name as text; an incomplete character becomes U+FFFD.
    var text: String {
        unsafe withUnsafeBytes(of: words) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
