import MonitorPolicy
import Testing

@Suite struct UnitsTests {
    @Test(arguments: [
        (0, "0 ns"), (850, "850 ns"), (12_340, "12.3 µs"), (999_400, "999 µs"), (999_600, "1.00 ms"),
        (41_237_000, "41.2 ms"),
        (1_204_000_000, "1.20 s"), (75_000_000_000, "75.0 s"), (999_499_000_000, "999 s"),
    ])
    func durationsHaveThreeDigits(nanoseconds: Int64, text: String) {
        #expect(Units.duration(.nanoseconds(nanoseconds)) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (84_240_000, "84.2 MB"), (3_000_000_000, "3.00 GB"),
    ])
    func sizesHaveThreeDigits(bytes: UInt64, text: String) { #expect(Units.bytes(bytes) == text) }

    @Test(arguments: [
        (1.0, "100 %"), (0.99999, "99.9 %"), (0.973, "97.3 %"), (0.0, "0.0 %"), (0.95, "95.0 %"), (-1.0, "0.0 %"),
    ])
    func oneHundredPerCentIsAllOfIt(share: Double, text: String) { #expect(Units.share(share) == text) }

    @Test func whatIsAbsentIsADash() {
        #expect(Units.duration(nil) == "–" && Units.bytes(nil as UInt64?) == "–" && Units.share(nil) == "–")
        #expect(Units.number(nil) == "–" && Units.count(nil) == "–" && Units.number(.nan) == "–")
        #expect(Units.share(.infinity) == "–" && Units.bytes(Double.nan) == "–")
    }

    @Test func extremeValuesNeverTrap() {
        for value in [1e300, -1e300, .infinity, -.infinity, .nan, 9.3e18, -9.3e18, .leastNonzeroMagnitude] {
            for metric in Metric.allCases { #expect(!Units.value(value, of: metric).isEmpty) }
            #expect(!Units.number(value).isEmpty)
        }
        #expect(!Units.duration(.seconds(Int64.max)).isEmpty && !Units.clock(.seconds(Int64.min)).isEmpty)
    }

    @Test func aClockHasHoursOnlyWhenItNeedsThem() {
        #expect(Units.clock(.milliseconds(62_900)) == "01:02" && Units.clock(.seconds(3723)) == "1:02:03")
    }

    @Test func controlCharactersOfNamesAreReplaced() {
        #expect(Units.printable("a\u{1B}[2Jb\nc\u{9B}d\u{202E}e\u{7F}é") == "a?[2Jb?c?d?e?é")
    }
}
