import CGStreamer

/// The names in a folder.
public enum SmallFolder {
    /// At most so many, in no order; none when the folder cannot be read.
    ///
    /// Not for the streaming thread.
    public static func names(in path: String, atMost limit: Int) -> [String] {
        guard let folder = g_dir_open(path, 0, nil) else { return [] }
        defer { g_dir_close(folder) }
        var names: [String] = []
        while names.count < limit, let name = g_dir_read_name(folder) { names.append(String(cString: name)) }
        return names
    }
}
