import GStreamer
import Glibc

/// Names that the system provides.
enum DataFolder {
    /// Folder of the player: `sendspin` below `gst-plugins-swift` in the user's data folder.
    ///
    /// Without the variable HOME, the home of the user is that of the password database.
    ///
    /// Source: XDG Base Directory Specification.
    static func path() throws(ElementError) -> String {
        guard let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? home).map({ $0 + "/.local/share" }) else {
            throw .resource(
                .settings, "This user has no home folder for the keys of the player. Set storage-folder or HOME.")
        }
        return data + "/gst-plugins-swift/sendspin"
    }

    /// The home of the user in the password database; nil if it is not an absolute path.
    private static var home: String? {
        var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard unsafe getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let folder = unsafe entry.pw_dir
        else { return nil }
        let text = unsafe String(cString: folder)
        return text.hasPrefix("/") ? text : nil
    }

    /// Name of the host; "GStreamer" if it has none.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "GStreamer" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "GStreamer" : text
    }

    /// A variable with an absolute path; nil for another value, which the specification says to ignore.
    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.hasPrefix("/") ? text : nil
    }
}
