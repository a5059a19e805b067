/// A GObject class: its type, properties, signals and interfaces.
///
/// All class protocols of the bridge refine `Object`, such as `Element`, `Bin`, `BaseTransform`, `Tracer`, `Clock` and
/// `BufferPool`. The protocols have the same hierarchy as the C classes. An optional method has a default
/// implementation. The corresponding C type is `GObjectClass`.
public protocol Object: ~Copyable {
    /// The values of the properties; `NoSettings` if the class has no properties.
    associatedtype Settings: ElementSettings = NoSettings

    /// The name of the GType, such as `GstNtscFilter`; must be unique in the process.
    static var typeName: String { get }
    /// The signals that objects of this class emit.
    static var signals: [Signal] { get }
    /// The interfaces of the class.
    static var interfaces: [Interface] { get }

    /// The current name of a preset that older versions named `name`; nil if there is no such preset.
    ///
    /// A preset can be loaded by both names; applications list only the current name.
    static func currentPresetName(of name: String) -> String?

    /// State of the object that read-only properties return; all threads share it.
    ///
    /// The bridge reads `report` once, after `init`, and keeps the reference.
    var report: Settings.Report { get }
}

extension Object where Self: ~Copyable {
    /// The default is no signals.
    public static var signals: [Signal] { [] }
    /// The default is no interfaces.
    public static var interfaces: [Interface] { [] }
    /// The default is nil.
    public static func currentPresetName(of name: String) -> String? { nil }
}

extension Object where Self: ~Copyable, Settings.Report == NoReport {
    /// The default is an empty report.
    public var report: NoReport { NoReport() }
}

/// The settings of an object without properties.
public struct NoSettings: ElementSettings {
    /// Returns no properties.
    public static var properties: [Property<Self>] { [] }

    /// Creates the only value of the type.
    public init() {}
}
