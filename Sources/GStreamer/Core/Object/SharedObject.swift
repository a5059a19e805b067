/// The shared object or executable that contains this copy of the bridge.
///
/// A process may load several copies, each with its own Swift runtime. The layout of a type may differ between copies,
/// so no copy may use the objects of another copy.
public enum SharedObject {
    /// An address in this shared object, as text; a name that contains this text is unique in the process.
    ///
    /// Names of types, quarks and metas are global in a process.
    public static let uniqueName = String(UInt(bitPattern: unsafeBitCast(ObjectType.self, to: Int.self)), radix: 16)
}
