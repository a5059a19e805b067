enum FileNumber {
    /// Parses digits before a space or the line end; nil for other text, such as a sign, and above `UInt64.max`.
    static func natural(_ text: some StringProtocol) -> UInt64? {
        var value: UInt64 = 0
        var hasDigit = false
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") else { return nil }
                break
            }
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflows, !exceeds else { return nil }
            value = sum
            hasDigit = true
        }
        return hasDigit ? value : nil
    }

    /// Magnitude of a number: drivers disagree about the sign of a current that leaves a battery.
    static func magnitude(_ text: some StringProtocol) -> UInt64? {
        text.hasPrefix("-") ? natural(text.dropFirst()) : natural(text)
    }

    /// Bytes in the line `name:   1776 kB`; nil without such a line.
    static func kilobytes(_ name: String, _ text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) && line.dropFirst(name.count).first == ":" {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == ":" })
            guard words.count == 3, words[2] == "kB", let kilobytes = natural(words[1]) else { return nil }
            let (bytes, overflows) = kilobytes.multipliedReportingOverflow(by: 1024)
            return overflows ? nil : bytes
        }
        return nil
    }

    /// Text of `name=` in the line `some` of a pressure file.
    ///
    /// Source: the kernel's `Documentation/accounting/psi.rst`.
    static func pressure(_ name: String, _ text: String) -> Substring? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some", let word = words.first(where: { $0.hasPrefix("\(name)=") }) else { continue }
            return word.dropFirst(name.count + 1)
        }
        return nil
    }
}
