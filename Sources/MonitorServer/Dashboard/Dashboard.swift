/// The page of the performance monitor.
public enum Dashboard {
    /// Bytes of `dashboard.html`, which the compiler embeds: the plugin is one file and reads no other.
    public static var page: [UInt8] { PackageResources.dashboard_html }
}
