import AnalogVideoModel
import Foundation
import Testing

/// Compares `docs/NTSC.md` with the settings, the stages and the types of the signal path.
struct SpecificationTests {
    private let text: String

    init() throws {
        text = try String(contentsOf: PackageFolder.root.appending(path: "docs/NTSC.md"), encoding: .utf8)
    }

    @Test func everySettingHasARowWithItsRangeAndDefault() {
        let lines = text.split(separator: "\n")
        for row in SettingRow.all {
            let expected = "| `\(row.propertyName)` | \(range(of: row)) | \(defaultValue(of: row)) |"
            #expect(lines.count { $0 == expected } == 1, "\(expected)")
        }
    }

    @Test func everyLegacyValueIsListed() {
        let rows = SettingRow.all.filter { $0.legacy != nil }
        for row in rows {
            let isListed = text.contains("\n| `\(row.propertyName)` | \(shown(row.legacy ?? 0, of: row)) |\n")
            #expect(isListed, "\(row.key)")
        }
        #expect(rows.count == 12)
    }

    @Test func stagesAreInPlayingOrder() {
        let section = text.split(separator: "\n## Stages in playing order\n").last ?? ""
        let table = section.split(separator: "\n").filter { $0.prefixMatch(of: /\| \d+ \|/) != nil }
        let named = table.flatMap { row in
            (row.split(separator: "|").last ?? "").matches(of: /`(\w+)`/).map { String($0.1) }
        }
        let stages = SignalStage.allCases.filter { $0 != .input && $0 != .output }
        #expect(named == stages.map { "\($0)" })
        for row in table {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let hasSection = section.contains("\n### \(cells[0]). \(cells[1])\n")
            #expect(hasSection, "\(row)")
        }
    }

    @Test func everyStageIsCitedByItsSource() throws {
        let sources = try text(ofSourcesIn: ["AnalogVideo"])
        let stages = text.matches(of: /\n### \d+\. ([^\n]+)/).map { String($0.1) }
        #expect(stages.count == 29)
        for stage in stages {
            let isCited = sources.contains("docs/NTSC.md, \"\(stage)\"")
            #expect(isCited, "\(stage)")
        }
    }

    @Test func everySwiftNameIsDeclared() throws {
        let sources = try text(ofSourcesIn: ["AnalogVideo", "AnalogVideoModel", "AnalogVideoPlayer"])
        let names = text.matches(of: /Swift (?:type|types|code): ([^.]*)\./)
            .flatMap { $0.1.matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(names.count > 40)
        for name in names {
            let declaration = try Regex("\\b(struct|class|enum|protocol|func) \(name)\\b")
            #expect(sources.firstMatch(of: declaration) != nil, "\(name)")
        }
    }

    private func text(ofSourcesIn folders: [String]) throws -> String {
        try folders.flatMap { PackageFolder.files(in: "Sources/\($0)") }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }

    // MARK: Values as written in docs/NTSC.md

    private func range(of row: SettingRow) -> String {
        switch row.kind {
        case .toggle: "false, true"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .real(let range): "\(number(Double(range.lowerBound))) to \(number(Double(range.upperBound)))"
        case .choice(_, let options): options.map { "`\($0.nick)`" }.joined(separator: ", ")
        }
    }

    private func defaultValue(of row: SettingRow) -> String { shown(row.value(in: NTSCSettings()), of: row) }

    private func shown(_ value: Double, of row: SettingRow) -> String {
        switch row.kind {
        case .toggle: value == 0 ? "false" : "true"
        case .integer, .real: number(value)
        case .choice(_, let options): options.first { Double($0.value) == value }.map { "`\($0.nick)`" } ?? ""
        }
    }

    /// The decimal number with the fewest digits that identifies the `Float`.
    private func number(_ value: Double) -> String {
        value == value.rounded()
            ? "\(Int(value))" : NSDecimalNumber(string: "\(Float(value))").stringValue
    }
}
