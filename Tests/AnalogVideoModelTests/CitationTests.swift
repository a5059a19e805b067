import Foundation
import Testing

/// Tests that comments cite only existing pages of this repository and existing sections.
struct CitationTests {
    @Test(arguments: ["Sources", "Tests", "Benchmarks", "plugin-build", "Examples"])
    func everyCitedPageAndSectionExists(folder: String) throws {
        for file in PackageFolder.files(in: folder) {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for citation in comments(of: text).matches(of: /([\w.\/-]*\w\.md)\b`?(?:, "([^"]+)")?/) {
                let page = PackageFolder.root.appending(path: String(citation.1))
                let pageText = try? String(contentsOf: page, encoding: .utf8)
                let isThere = pageText != nil
                #expect(isThere, "\(file.lastPathComponent): \(citation.1)")
                guard let pageText, let section = citation.2 else { continue }
                let hasSection = headings(of: pageText).contains(String(section))
                #expect(hasSection, "\(file.lastPathComponent): \(section)")
            }
        }
    }

    /// The comments of a source text without comment marks, joined to one line, because a citation may span two lines.
    private func comments(of text: String) -> String {
        text.split(separator: "\n").compactMap { line in
            line.trimmingCharacters(in: .whitespaces).prefixMatch(of: /(?:\/{2,3}|\*|#)\s?(.*)/).map { String($0.1) }
        }.joined(separator: " ")
    }

    /// The titles of the sections, without their numbers.
    private func headings(of page: String) -> Set<String> {
        Set(page.matches(of: /\n#+ (?:\d+\. )?([^\n]+)/).map { String($0.1) })
    }
}
