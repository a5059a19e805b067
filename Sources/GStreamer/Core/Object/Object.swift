/// A class of objects: its type, its properties, its signals and its interfaces.
///
/// Every class of the bridge is one: `Element`, `Bin`, `BaseTransform`, `Tracer`, `Clock`, `BufferPool`. A conforming
/// type inherits as the C class does, and each method has a default that does what the parent class does.
/// The corresponding C type is `GObjectClass`.
public protocol Object: ~Copyable {
    /// The values behind the properties; `NoSettings` when there are none.
    associatedtype Settings: ElementSettings = NoSettings

    /// The name of the GType, such as `GstNtscFilter`; one process knows it once.
    static var typeName: String { get }
    /// The signals that objects of this class emit.
    static var signals: [Signal] { get }
    /// The interfaces of the class.
    static var interfaces: [Interface] { get }

    /// The current name of a preset that older versions named `name`; nil when there is none.
    ///
    /// The preset loads by both names, and is listed by the current one.
    static func presentPresetName(of name: String) -> String?

    /// The part of the object that all threads share, and that read-only properties show; read once, after `init`.
    var report: Settings.Report { get }
}

extension Object where Self: ~Copyable {
    /// None.
    public static var signals: [Signal] { [] }
    /// None.
    public static var interfaces: [Interface] { [] }
    /// None.
    public static func presentPresetName(of name: String) -> String? { nil }
}

extension Object where Self: ~Copyable, Settings.Report == NoReport {
    /// Nothing is reported.
    public var report: NoReport { NoReport() }
}

/// The settings of an object without properties.
public struct NoSettings: ElementSettings {
    /// None.
    public static var properties: [Property<Self>] { [] }

    /// The only value.
    public init() {}
}
