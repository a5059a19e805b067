/// The file that contains this copy of the bridge: a plugin, or a program.
///
/// A process may load several, each with its own Swift runtime. Their types have the same names and other layouts, so an
/// object of one must never be taken for one of another.
public enum SharedObject {
    /// An address that only this shared object has, as text; it makes names unique that a process knows once.
    ///
    /// GLib knows the names of types and quarks once in a process, GStreamer those of metas.
    public static let uniqueName = String(UInt(bitPattern: unsafeBitCast(ObjectType.self, to: Int.self)), radix: 16)
}
