import CGStreamer

/// A list of texts that C keeps for the life of the process, ended by NULL.
final class StringList: @unchecked Sendable {  // Nothing changes after `init`.
    let raw: UnsafeMutablePointer<UnsafePointer<gchar>?>

    init(_ texts: [String]) {
        raw = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { (raw + index).initialize(to: g_intern_string(text)) }
        (raw + texts.count).initialize(to: nil)
    }
}
