#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension AudioSink {
    /// Whether a variable of PulseAudio's clients names the server or the output.
    public static var environmentNamesOutput: Bool {
        unsafe getenv("PULSE_SERVER") != nil || getenv("PULSE_SINK") != nil
    }

    /// Whether the library that PipeWire's plugin for ALSA has loaded is older than 1.0.6; false if there is none.
    ///
    /// Before that version, a race in the plugin could stall a sink after an underrun.
    public static var pipeWireMayStall: Bool {
        guard let library = unsafe dlopen("libpipewire-0.3.so.0", RTLD_LAZY | RTLD_NOLOAD) else { return false }
        defer { unsafe dlclose(library) }
        guard let symbol = unsafe dlsym(library, "pw_get_library_version") else { return true }
        let version = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)
        guard let text = unsafe version() else { return true }
        let numbers = unsafe String(cString: text).split(separator: ".").map { Int($0) ?? 0 }
        return numbers.lexicographicallyPrecedes([1, 0, 6])
    }
}
