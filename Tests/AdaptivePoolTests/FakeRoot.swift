import CGStreamer
import Glibc
import Testing

/// A folder that looks like the root of a file system.
final class FakeRoot {
    let path: String
    private var names: [String] = []

    /// With `pipes`, which keep everybody waiting who opens them for reading.
    init(_ files: [String: String], pipes: [String] = []) throws {
        var template = Array("/tmp/gst-swift-root-XXXXXX".utf8CString)
        path = String(cString: try #require(g_mkdtemp(&template)))
        for (name, text) in files { g_file_set_contents(add(name), text, -1, nil) }
        for name in pipes { mkfifo(add(name), 0o600) }
    }

    /// As the kernel does it: there is never half a text to be read.
    func write(_ name: String, _ text: String) { g_file_set_contents(path + name, text, -1, nil) }

    private func add(_ name: String) -> String {
        names.append(name)
        let folder = g_path_get_dirname(path + name)
        g_mkdir_with_parents(folder, 0o755)
        g_free(folder)
        return path + name
    }

    deinit {
        for name in names {
            unlink(path + name)
            var folder = path + name
            while folder.count > path.count {
                folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
                rmdir(folder)
            }
        }
        rmdir(path)
    }
}
