import Foundation
import MonitorServer
import Testing

@Suite struct DashboardPageTests {
    let page = String(decoding: Dashboard.page, as: UTF8.self)

    @Test func pageIsTheFile() throws {
        #expect(try Data(contentsOf: Files.page) == Data(Dashboard.page))
        #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.hasSuffix("</html>\n"))
        #expect(Dashboard.page.count < 70_000)
    }

    @Test func nothingComesFromElsewhere() {
        let addresses = page.matches(of: /https?:[^"'\s)]*/).map { String($0.output) }
        #expect(
            addresses == ["http://www.w3.org/2000/svg"], "only the name of the SVG language may look like an address")
        #expect(
            page.matches(of: /<(link|script|img|iframe|object|embed|source|video|audio)\b[^>]*>/).map { String($0.0) }
                == [
                    #"<link rel="icon" href="data:,">"#, "<script>",
                ])
        for word in [
            "@import", "url(", "import(", "fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "localStorage",
            "//cdn",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.matches(of: /new EventSource\(([^)]*)\)/).map { String($0.1) } == [#""events""#])
    }

    @Test func textsOfThePipelineNeverBecomeMarkupOrCode() {
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment",
            "srcdoc",
            "eval(", "new Function", "javascript:", "setTimeout(\"", "style.cssText",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test func elementsAreClosedInOrder() throws {
        let body = try #require(page.firstMatch(of: /<body>[\s\S]*?<script>/)?.output)
        let empty: Set<Substring> = ["meta", "link", "input", "br", "img"]
        var open: [Substring] = []
        for tag in body.matches(of: /<(\/?)([a-z0-9]+)[^<>]*>/) where !empty.contains(tag.2) {
            if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
        }
        #expect(open == ["body", "script"])
    }

    @Test func scriptNamesOnlyElementsThatExist() {
        let present = page.matches(of: /\bid="([a-z-]+)"/).map { String($0.1) }
        #expect(Set(present).count == present.count, "an id stands twice")
        let used = Set(page.matches(of: /byId\("([a-z-]+)"\)/).map { String($0.1) })
        #expect(used.isSubset(of: present), "\(used.subtracting(present))")
        #expect(used.count > 15)
    }

    @Test func eachColourIsDefinedForBothThemes() {
        let blocks = page.matches(of: /:root(\[data-theme="dark"\])? \{([^}]*--page[^}]*)\}/).map {
            Set($0.2.matches(of: /--([a-z0-9]+):/).map { String($0.1) })
        }
        #expect(blocks.count == 2 && blocks.first == blocks.last)
        let used = Set(page.matches(of: /var\(--([a-z0-9]+)\)/).map { String($0.1) })
        #expect(blocks.allSatisfy(used.isSubset))
    }

    /// Tests that the page reads all fields of the simulated snapshots except three, and no other fields.
    @Test func fieldsOfTheSnapshotAreRead() async throws {
        let line = try #require(try await Snapshots.lines(400).last)
        let snapshot = try JSONSerialization.jsonObject(with: Data(line.utf8))
        let script = try #require(page.firstMatch(of: /function readLatency[\s\S]*?\/\/ ---- History/)?.output)
        var read = Set(
            script.matches(of: /\b(?:source|recent|total|process|level|object\(item\))\.([a-z]\w*)/).map {
                String($0.1)
            })
        read.formUnion(script.matches(of: /\["([a-z0-9-]+)"\]/).map { String($0.1) })
        read.formUnion(["p50", "p95", "p99", "max", "mean", "count", "coverage"])
        // The added names are names of JavaScript, fields that only a tracer provides, and fields that may be absent.
        let present = Self.names(in: snapshot).union(["clock", "own", "slice", "length", "filter"])
        #expect(read.isSubset(of: present), "not in the snapshot: \(read.subtracting(present))")
        let unread = Self.names(in: snapshot).subtracting(read)
        #expect(unread == ["30s", "60s", "length"], "not read: \(unread)")
    }

    /// Tests that the simulated snapshots have each field that the recorder writes, except the fields named here.
    @Test(.enabled(if: (try? Files.recorder.checkResourceIsReachable()) == true, "the recorder is not there"))
    func namesOfTheRecorderAreKnown() async throws {
        let source = try String(contentsOf: Files.recorder, encoding: .utf8)
        let written = Set(source.matches(of: /"([a-z0-9-]+)"(?=:|,|\))/).map { String($0.1) })
        let line = try #require(try await Snapshots.lines(400).last)
        let known = Self.names(in: try JSONSerialization.jsonObject(with: Data(line.utf8))).union([
            "alert", "details", "own", "clock",
        ])
        #expect(written.count > 30 && written.isSubset(of: known), "\(written.subtracting(known))")
    }

    private static func names(in value: Any) -> Set<String> {
        if let object = value as? [String: Any] {
            return object.reduce(into: Set(object.keys)) { $0.formUnion(names(in: $1.value)) }
        }
        return (value as? [Any] ?? []).reduce(into: []) { $0.formUnion(names(in: $1)) }
    }
}
