import CGStreamer

/// A NULL-terminated array of strings for C; its memory is never freed.
final class StringList: @unchecked Sendable {  // Nothing changes after `init`.
    let raw: UnsafeMutablePointer<UnsafePointer<gchar>?>

    init(_ texts: [String]) {
        raw = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { (raw + index).initialize(to: g_intern_string(text)) }
        (raw + texts.count).initialize(to: nil)
    }
}
