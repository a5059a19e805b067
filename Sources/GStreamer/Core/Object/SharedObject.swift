/// The file that contains this copy of the bridge: a plugin, or a program.
///
/// A process may load several, each with its own Swift runtime. The same type may differ in layout between them, so an
/// object created by one must not be used by another.
public enum SharedObject {
    /// An address in this shared object, as text; as part of a name it makes the name unique in the process.
    ///
    /// Names of types, quarks and metas are global in a process.
    public static let uniqueName = String(UInt(bitPattern: unsafeBitCast(ObjectType.self, to: Int.self)), radix: 16)
}
