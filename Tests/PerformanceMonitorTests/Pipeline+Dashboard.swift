import GstTestSupport

extension Pipeline {
    /// Port of the dashboard of the monitor `m`; nil if there is no dashboard.
    var dashboardPort: UInt16? {
        let url = get("dashboard-url", of: "m")
        return url.firstMatch(of: /:([0-9]+)\//).flatMap { UInt16($0.1) }
    }
}
