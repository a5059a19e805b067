import GStreamer

/// Which elements lie upstream, each asked for its links once.
struct UpstreamMap {
    private var linked: [UInt: [ElementReference]] = [:]

    /// Identities of `element` and of all elements upstream of it whose frames have the same running times, nearest first.
    ///
    /// A demuxer gives its frames the times that the container has: rounded, or from another origin. Elements before it
    /// are left out; with a muxer among them the running times behind it are no longer those of the source.
    mutating func elements(from element: ElementReference) -> (elements: [UInt], isRetimed: Bool) {
        var found = [element.identity]
        var isRetimed = false
        var seen: Set<UInt> = [element.identity]
        var open = [(element: element, isBeyond: false)]
        while let (next, wasBeyond) = open.popLast() {
            let isBeyond = wasBeyond || next.classes.contains("Demuxer")
            let links = linked[next.identity] ?? next.elementsLinkedUpstream()
            linked[next.identity] = links
            for link in links where seen.insert(link.identity).inserted {
                if !isBeyond { found.append(link.identity) }
                isRetimed = isRetimed || (isBeyond && link.classes.contains("Muxer"))
                open.append((link, isBeyond))
            }
        }
        return (found, isRetimed)
    }
}
