/// What every element says of itself, whatever its C base class.
public protocol ElementDescription: ~Copyable {
    associatedtype Settings: ElementSettings

    /// The name used in `gst-launch-1.0`.
    static var factoryName: String { get }
    /// The name of the GType, such as `GstNtscFilter`.
    static var typeName: String { get }
    static var metadata: ElementMetadata { get }
    static var padTemplates: [PadTemplate] { get }
    static var interfaces: [ElementInterface] { get }

    /// The name of today of a preset that older versions named `name`; nil where there is none.
    ///
    /// It loads by both names, and is listed by that of today.
    static func presentPresetName(of name: String) -> String?

    /// What read-only properties show; asked for once, after `init`.
    var report: Settings.Report { get }
}

extension ElementDescription where Self: ~Copyable {
    public static var interfaces: [ElementInterface] { [] }
    public static func presentPresetName(of name: String) -> String? { nil }
}

extension ElementDescription where Self: ~Copyable, Settings.Report == NoReport {
    public var report: NoReport { NoReport() }
}
