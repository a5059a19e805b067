import AnalogVideoModel
import Foundation
import GstTestSupport
import QueuePolicy
import SignalSupport
import Testing

@testable import BackpressureQueue
@testable import FrameTracking
@testable import GStreamer
@testable import MonitorPolicy
@testable import NTSCFilter
@testable import PerformanceMonitor
@testable import SwiftVideoPlugin
@testable import TapeAudio
@testable import ThermalCaps

/// Tests the reference pages in docs/elements.
struct ReferencePageTests {
    private func page(_ element: String) throws -> String {
        try String(contentsOf: Setup.package.appending(path: "docs/elements/\(element).md"), encoding: .utf8)
    }

    /// The names in the first column of all tables, one for each row.
    private func documented(_ page: String) -> Set<String> {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let cells = rows.compactMap { $0.split(separator: "|").first }
        return Set(cells.flatMap { $0.matches(of: /`([a-z0-9-]+)`/).map { String($0.1) } })
    }

    @Test func everyPropertyOfNtscfilterHasARow() throws {
        let names = documented(try page("ntscfilter"))
        for property in NTSCFilter.Settings.properties { #expect(names.contains(property.name), "\(property.name)") }
        for row in SettingRow.all { #expect(names.contains(row.propertyName)) }
    }

    @Test func everyFormatAndLookOfNtscfilterIsNamed() throws {
        let text = try page("ntscfilter")
        for format in PixelFormat.allCases {
            #expect(text.firstMatch(of: try Regex("[` ]\(format.rawValue)[` ]")) != nil, "\(format.rawValue)")
        }
        for look in Look.all { #expect(text.contains("`\(look.name)`"), "\(look.name)") }
    }

    @Test func everyPropertyAndPresetOfTapeaudioHasARow() throws {
        let text = try page("tapeaudio")
        let names = documented(text)
        for property in TapeAudioSettings.properties { #expect(names.contains(property.name), "\(property.name)") }
        for look in SoundLook.all { #expect(text.contains("`\(look.name)`"), "\(look.name)") }
    }

    @Test func everyPropertyOfThermalcapsHasARow() throws {
        let names = documented(try page("thermalcaps"))
        for property in ThermalCapsSettings.properties { #expect(names.contains(property.name), "\(property.name)") }
    }

    @Test func everyPropertySignalAndFieldOfPerfmonitorHasARow() throws {
        let names = documented(try page("perfmonitor"))
        for property in PerformanceMonitorSettings.properties {
            #expect(names.contains(property.name), "\(property.name)")
        }
        for signal in PerformanceMonitor.signals { #expect(names.contains(signal.name), "\(signal.name)") }
        let alert = Alert(
            severity: .warning, element: "encoder", metric: .rate, target: 30, value: 20, recent: 20,
            window: .seconds(60), samples: 50, since: .zero, tiers: [.rate(15)])
        let event = AlertEvent(change: .raised, alert: alert)
        for field in event.structure.fields { #expect(names.contains(field.name), "\(field.name)") }
    }

    @Test func everyWordOfATargetHasARow() throws {
        let names = documented(try page("perfmonitor"))
        let text = try page("perfmonitor")
        for word in TargetWord.all {
            let isThreshold = TargetWord.thresholds.contains(word)
            #expect(isThreshold ? text.contains("`\(word.name)`") : names.contains(word.name), "\(word.name)")
        }
    }

    @Test func targetsOfThePageOfPerfmonitorAreValid() throws {
        let text = try page("perfmonitor")
        let file = try #require(text.firstMatch(of: /(?s)```json\n(.*?)```/))
        #expect(try Targets(file: Array(file.1.utf8)).targets.map(\.name) == ["pose", "stress"])
        let lines = text.matches(of: /targets="(.*?)"/)
        #expect(lines.count >= 2)
        // Parameters of a tracer have | instead of the semicolon, and may have escapes.
        for line in lines {
            let targets = String(line.1.filter { $0 != "\\" }.map { $0 == "|" ? ";" : $0 })
            #expect(try !Targets(text: targets).targets.isEmpty, "\(line.1)")
        }
    }

    @Test func everyPropertyOfBackpressurequeueHasARow() throws {
        let names = documented(try page("backpressurequeue"))
        for property in BackpressureQueue.Settings.properties {
            #expect(names.contains(property.name), "\(property.name)")
        }
    }

    @Test func everyCounterReasonAndSignalOfBackpressurequeueHasARow() throws {
        let names = documented(try page("backpressurequeue"))
        for field in QueueCore().statistics.fields { #expect(names.contains(field.name), "\(field.name)") }
        for reason in DropReason.allCases { #expect(names.contains(reason.name), "\(reason.name)") }
        for signal in BackpressureQueue.signals { #expect(names.contains(signal.name), "\(signal.name)") }
    }

    @Test func fieldsOfTheMessageOfBackpressurequeueAreNamed() throws {
        let text = try page("backpressurequeue")
        let message = QueueCore().dropMessage(FrameCounts(), inFlight: 0)
        let paragraph = try #require(text.split(separator: "\n\n").first { $0.contains("`\(message.name)` is posted") })
        for field in message.fields { #expect(paragraph.contains("`\(field.name)`"), "\(field.name)") }
    }

    /// Tests that the page quotes each warning that the element posts, with the name of an example element.
    @Test func warningsOfBackpressurequeueAreQuoted() throws {
        let text = try page("backpressurequeue")
        let core = QueueCore()
        let examples: [(FrameHolder.Cause, String)] = [
            (.lastSample, "fakesink0"), (.insidePush, "identity0"), (.noOutputYet, "x264enc0"), (.lastEntered, "mux"),
            (.application, "appsink0"),
        ]
        let holders = examples.map { FrameHolder(element: $0.1, cause: $0.0) }
        let blocked = FrameHolder(element: "identity0", cause: .insidePush)
        let warnings =
            holders.map { core.warning(about: $0, after: .seconds(2)) } + [
                core.warning(about: nil, after: .seconds(2)),
                core.warning(aboutPushTo: blocked, for: .milliseconds(2004), drops: true),
            ]
        for warning in warnings { #expect(text.contains("\"\(warning.text)\""), "\(warning.text)") }
    }

    /// Tests that each kind of stream has a column in the table of automatic sizes.
    @Test func everyKindOfStreamOfBackpressurequeueIsNamed() throws {
        let text = try page("backpressurequeue")
        let header = try #require(text.split(separator: "\n").first { $0.hasPrefix("| | `pictures`") })
        for kind in StreamKind.allCases { #expect(header.contains("`\(kind.name)`"), "\(kind.name)") }
    }
}
