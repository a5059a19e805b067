import CGStreamer
import Threads

/// A NULL-terminated array of strings for C.
final class StringList: @unchecked Sendable {  // Nothing changes after `init`.
    let raw: UnsafeMutablePointer<UnsafePointer<gchar>?>

    private static let all = ProcessMutex<[[String]: StringList]>([:])

    /// The array of these strings; it is never freed, because GStreamer keeps pointers to the array.
    static func interned(_ texts: [String]) -> StringList {
        all.withLock { all in
            if let known = all[texts] { return known }
            let list = StringList(texts)
            all[texts] = list
            return list
        }
    }

    private init(_ texts: [String]) {
        raw = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { (raw + index).initialize(to: g_intern_string(text)) }
        (raw + texts.count).initialize(to: nil)
    }
}
