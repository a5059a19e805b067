import Foundation

/// A page of the documentation.
struct MarkdownPage {
    let file: URL
    let text: String

    init(_ file: URL) throws {
        self.file = file
        text = try String(contentsOf: file, encoding: .utf8)
    }

    /// The pages in a folder and its subfolders.
    static func pages(in folder: URL) throws -> [MarkdownPage] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".md") }.map { try MarkdownPage(folder.appending(path: $0)) }
    }

    /// Relative links of texts and pictures whose file or heading does not exist.
    func brokenLinks() throws -> [String] {
        try text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }.filter { link in
            if link.contains("://") { return false }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target = parts[0].isEmpty ? file : URL(filePath: String(parts[0]), relativeTo: file)
            guard FileManager.default.fileExists(atPath: target.path(percentEncoded: false)) else { return true }
            return try parts.count == 2 && !MarkdownPage(target).anchors.contains(String(parts[1]))
        }
    }

    /// The anchors that GitHub gives to the headings.
    private var anchors: Set<String> {
        Set(
            text.matches(of: /(?m)^#+ (.+)$/).map { heading in
                heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "- _".contains($0) }
                    .replacing(" ", with: "-")
            })
    }

    /// The shell blocks, and commands that write the Swift blocks to files, in the order of the text.
    ///
    /// A sentence before a Swift block ends with the path of the file.
    var script: String {
        text.matches(of: /(?s)(?:`([\w.\/]+)`:\n\n```swift|```sh)\n(.*?)```/).map { block in
            guard let path = block.1 else { return String(block.2) }
            return "mkdir -p \"$(dirname \(path))\"\ncat >\(path) <<'END'\n\(block.2)END\n"
        }.joined()
    }

    /// The launch lines in code blocks and in cells of tables.
    var launchLines: [String] {
        let blocks = text.matches(of: /(?s)```sh\n(.*?)```/).flatMap {
            $0.1.replacing(/\\\n */, with: "").split(separator: "\n").map(String.init)
        }
        let cells = text.matches(of: /\| `(gst-launch-1\.0 [^`]+)`/).map { String($0.1) }
        return (blocks + cells).filter { $0.hasPrefix("gst-launch-1.0 ") }
    }
}
