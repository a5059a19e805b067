import Testing

@testable import ServiceDiscovery

@Suite struct FailureReportTests {
    @Test func reportsEachFailureOnceUntilTheDaemonRuns() {
        var reports = FailureReports()
        let lost = DiscoveryError.daemonLost(reason: "x")
        let first = [.noDaemon, .noDaemon, lost, lost, .noDaemon].map { reports.isNew($0) }
        #expect(first == [true, false, true, false, true])
        reports.succeeded()
        let second = [DiscoveryError.noDaemon, .noDaemon].map { reports.isNew($0) }
        #expect(second == [true, false])
    }
}
