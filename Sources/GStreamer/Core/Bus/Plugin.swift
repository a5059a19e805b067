import CGStreamer
import Threads

/// Initializes GStreamer in a program, and ends the program if that fails; further calls have no effect.
///
/// Plugins need no call. The corresponding C function is `gst_init`.
public func initialize() { gst_init(nil, nil) }

/// A plugin during the registration of its elements.
///
/// The corresponding C type is `GstPlugin`.
public struct Plugin {
    let raw: OpaquePointer?

    /// The plugin that GStreamer passes to `plugin_init`.
    public init(_ raw: OpaquePointer?) { self.raw = raw }

    /// No plugin: elements are registered as static elements of the process, as in tests.
    public static var none: Plugin { Plugin(nil) }
}

/// A plugin file written in Swift.
///
/// In a file `libgsthello.so`, GStreamer looks up two functions named after the plugin:
///
///     private let plugin = PluginDefinition("hello", description: "My elements") { register(Negative.self, in: $0) }
///
///     @c public func gst_plugin_hello_get_desc() -> UnsafeRawPointer { plugin.descriptor }
///     @c public func gst_plugin_hello_register() { plugin.registerStatically() }
///
/// The corresponding C macro is `GST_PLUGIN_DEFINE`.
public final class PluginDefinition: Sendable {
    /// The descriptor of the plugin; its strings are interned and never freed.
    private let raw: Raw
    private let isRegistered = Mutex(false)

    private struct Raw: @unchecked Sendable {  // Nothing changes after `init`.
        let descriptor: UnsafeMutablePointer<GstPluginDesc>
    }

    /// Registration functions of the plugins in this shared object, by name, because `plugin_init` has no user data.
    private static let registrations = ProcessMutex<[String: @Sendable (Plugin) -> Bool]>([:])

    /// Describes a plugin; `register` registers its elements and returns whether that succeeded.
    ///
    /// `license` must be a license name known to GStreamer, such as `LGPL`, `MIT/X11` or `Proprietary`.
    public init(
        _ name: String, description: String, version: String = "1.0", license: String = "LGPL",
        package: String? = nil, origin: String = "Unknown package origin",
        register: @escaping @Sendable (Plugin) -> Bool
    ) {
        Self.registrations.withLock { $0[name] = register }
        let descriptor = UnsafeMutablePointer<GstPluginDesc>.allocate(capacity: 1)
        descriptor.initialize(to: GstPluginDesc())
        descriptor.pointee.major_version = gint(GST_VERSION_MAJOR)
        descriptor.pointee.minor_version = gint(GST_VERSION_MINOR)
        descriptor.pointee.name = g_intern_string(name)
        descriptor.pointee.description = g_intern_string(description)
        descriptor.pointee.plugin_init = { PluginDefinition.initialize($0) }
        descriptor.pointee.version = g_intern_string(version)
        descriptor.pointee.license = g_intern_string(license)
        descriptor.pointee.source = g_intern_string(package ?? name)
        descriptor.pointee.package = g_intern_string(package ?? name)
        descriptor.pointee.origin = g_intern_string(origin)
        raw = Raw(descriptor: descriptor)
    }

    /// The return value of `gst_plugin_NAME_get_desc`.
    public var descriptor: UnsafeRawPointer { UnsafeRawPointer(raw.descriptor) }

    /// The body of `gst_plugin_NAME_register`, for programs that link the plugin statically.
    ///
    /// Any thread may call it; calls after the first that succeeds have no effect. The corresponding C function is
    /// `gst_plugin_register_static`.
    public func registerStatically() {
        isRegistered.withLock { isRegistered in
            guard !isRegistered else { return }
            let plugin = raw.descriptor.pointee
            isRegistered =
                gst_plugin_register_static(
                    plugin.major_version, plugin.minor_version, plugin.name, plugin.description, plugin.plugin_init,
                    plugin.version, plugin.license, plugin.source, plugin.package, plugin.origin) != 0
        }
    }

    private static func initialize(_ plugin: OpaquePointer?) -> gboolean {
        guard let plugin, let name = gst_plugin_get_name(plugin) else { return 0 }
        let register = registrations.withLock { $0[String(cString: name)] }
        return register?(Plugin(plugin)) == true ? 1 : 0
    }
}
