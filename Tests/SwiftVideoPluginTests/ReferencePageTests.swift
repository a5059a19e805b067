import AnalogVideoModel
import Foundation
import Testing

@testable import SwiftVideoPlugin

/// The reference pages in docs/elements.
struct ReferencePageTests {
    private func page(_ element: String) throws -> String {
        try String(contentsOf: Setup.package.appending(path: "docs/elements/\(element).md"), encoding: .utf8)
    }

    /// The names in the first column of all tables, a row each.
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

    @Test func everyPropertyOfThermalcapsHasARow() throws {
        let names = documented(try page("thermalcaps"))
        for property in ThermalCapsSettings.properties { #expect(names.contains(property.name), "\(property.name)") }
    }
}
