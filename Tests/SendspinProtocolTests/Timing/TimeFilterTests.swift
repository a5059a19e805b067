import TestSupport
import Durations
import Foundation
import Testing

@testable import SendspinProtocol

/// Tests the Kalman filter.
@Suite struct TimeFilterTests {
    /// Rows of a table that the reference implementation made.
    private static let table = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Golden/sendspin/time-filter.csv").standardizedFileURL

    @Test func equalsTheReferenceBitByBit() throws {
        var filter = ServerClock.TimeFilter()
        var rows = 0
        for line in try String(contentsOf: Self.table, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: ",").map(String.init)
            guard fields.count == 11 else {
                #expect(fields.count == 1)
                filter = ServerClock.TimeFilter()
                continue
            }
            let time = try #require(Int64(fields[2]))
            filter.add(
                try #require(Double(fields[0])), error: try #require(Double(fields[1])), at: .microseconds(time))
            let state = [
                filter.offset, filter.drift, filter.offsetVariance, filter.covariance, filter.driftVariance,
            ]
            #expect(state == fields[3..<8].compactMap { Double($0) }, "row \(rows): \(line)")
            let estimate = try #require(filter.estimate)
            // The reference rounds to microseconds. At times of 50 years, its floating-point numbers resolve 0.25 µs.
            let later = Duration.microseconds(try #require(Int64(fields[8])))
            let server = Duration.microseconds(try #require(Int64(fields[9])))
            let local = Duration.microseconds(try #require(Int64(fields[10])))
            #expect((estimate.serverTime(at: later) - server).isWithin(.nanoseconds(760)))
            #expect((estimate.localTime(of: server) - local).isWithin(.nanoseconds(1260)))
            rows += 1
        }
        #expect(rows == 330)
    }

    @Test(arguments: [0, 1e-4, -1e-4, 1e-3, -1e-3])
    func conversionsAreInverse(drift: Double) {
        let estimate = ClockEstimate(
            at: .seconds(1000), offset: .seconds(1_700_000_000) + .nanoseconds(123), drift: drift,
            uncertainty: .zero)
        for seconds in [0, 999, 1000, 1001, 5000] {
            let local = Duration.seconds(seconds) + .nanoseconds(77)
            #expect((estimate.localTime(of: estimate.serverTime(at: local)) - local).isWithin(.nanoseconds(2)))
        }
    }

    @Test func ignoresImplausibleExchanges() {
        var filter = ServerClock.TimeFilter()
        filter.add(
            TimeExchange(sent: .seconds(2), received: .seconds(5), transmitted: .seconds(4), arrived: .seconds(3)))
        filter.add(
            TimeExchange(sent: .seconds(3), received: .seconds(5), transmitted: .seconds(5), arrived: .seconds(2)))
        // The server states a processing time that is longer than the exchange.
        filter.add(
            TimeExchange(sent: .seconds(2), received: .seconds(5), transmitted: .seconds(9), arrived: .seconds(3)))
        #expect(filter.count == 0)
        #expect(filter.estimate == nil)
    }

    @Test func keepsNumbersFiniteWithExtremeTimes() throws {
        var filter = ServerClock.TimeFilter()
        var random = Random(seed: 3)
        for index in 1...2000 {
            let extreme = [Int64.min, .max, 0, 1, -1, Int64(index)]
            let received = try #require(extreme.randomElement(using: &random))
            let local = Duration.microseconds(index)
            filter.add(
                TimeExchange(
                    sent: local, received: .microseconds(received), transmitted: .microseconds(received),
                    arrived: local + .nanoseconds(Int64.random(in: 0...2000, using: &random))))
            guard let estimate = filter.estimate else { continue }
            #expect(estimate.drift.magnitude <= ClockEstimate.maxDrift)
            let server = estimate.serverTime(at: .seconds(Int64.max / 1_000_000_000))
            _ = estimate.localTime(of: server)
            #expect(filter.offset.isFinite)
        }
    }
}

extension Duration {
    func isWithin(_ limit: Self) -> Bool { self <= limit && self >= .zero - limit }
}
