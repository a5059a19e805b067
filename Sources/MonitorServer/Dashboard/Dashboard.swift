/// The dashboard page of the performance monitor.
public enum Dashboard {
    /// Content of `dashboard.html`, which the compiler embeds, so that the plugin reads no other file.
    public static var page: [UInt8] { PackageResources.dashboard_html }
}
