/// Formatting of table columns.
enum Table {
    static func left(_ text: String, _ width: Int) -> String { text + space(width - text.count) }

    static func right(_ text: String, _ width: Int = 14) -> String { space(width - text.count) + text }

    static func row(_ cells: String...) -> String { cells.map { right($0) }.joined() }

    static func digits(_ number: Double) -> String {
        guard abs(number) < 1e15 else { return "-" }
        let hundredths = Int((abs(number) * 100).rounded())
        let rest = hundredths % 100
        return "\(number < 0 ? "-" : "")\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func space(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
