import Glibc

/// Names that the system provides.
enum DataFolder {
    /// Folder of the player: `sendspin` below `gst-plugins-swift` in the user's data folder.
    ///
    /// Source: XDG Base Directory Specification.
    static var path: String {
        let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? "/tmp") + "/.local/share"
        return data + "/gst-plugins-swift/sendspin"
    }

    /// Name of the host; "GStreamer" if it has none.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "GStreamer" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "GStreamer" : text
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
