import FrameTracking
public import GStreamer

/// Finds the element that holds the oldest buffer in use.
///
/// While a watch exists, a probe on each sink pad downstream marks the buffers of the pool. Each mark costs a mutex and
/// a search in a short list, so a watch exists only briefly, while a pool is exhausted.
public final class HolderWatch: Sendable {
    /// A sink pad downstream; its index is its bit in `BufferShelf.Use.seen`.
    private struct Place {
        let pad: UInt
        let element: String
        /// Bits of the sink pads downstream of the element.
        var behind: UInt64 = 0
    }

    /// Largest number of pads, because each pad has one bit of a 64-bit mask.
    private static let largestCount = 64
    private let pool: ElasticPool
    private let source: String?
    private let beganAtTurn: UInt64
    private let places: [Place]
    private let probes: EntryProbes?

    /// Begins to watch the elements downstream of `host`.
    public init(_ pool: ElasticPool, downstreamOf host: ElementHost) {
        self.pool = pool
        source = Self.neighbour(of: host)
        pool.locked { $0.shelf.clearSeen() }
        var places: [Place] = []
        var elements: [ElementReference] = []
        if let pad = host.pad("src") {
            probes = EntryProbes(behind: pad) { element, entry in
                let bit = places.count
                guard bit < Self.largestCount else { return nil }
                places.append(Place(pad: entry.identity, element: element.name))
                elements.append(element)
                return { buffer in
                    buffer.withUnsafePointer { raw in pool.locked { $0.shelf.markSeen(raw, bit: bit) } }
                }
            }
        } else {
            probes = nil
        }
        for index in places.indices {
            var behind: UInt64 = 0
            elements[index].forEachSourcePad { pad in
                pad.forEachLinkedElement { _, entry in
                    if let bit = places.firstIndex(where: { $0.pad == entry.identity }) { behind |= 1 << UInt64(bit) }
                    return true
                }
            }
            places[index].behind = behind
        }
        self.places = places
        // A buffer that was acquired before the probes existed may have passed them.
        beganAtTurn = pool.locked { $0.shelf.turn }
    }

    /// Name of the element that holds the oldest buffer, or several names behind a tee; nil if none is known yet.
    private func holder() -> String? {
        guard let use = pool.locked({ $0.shelf.oldest?.use }) else { return nil }
        // The element that fills the buffers has not pushed this buffer yet.
        guard use.hasPassed else { return source }
        // A buffer acquired before the watch may have passed pads unmarked. An unmarked later buffer has passed no pad.
        guard use.seen != 0 else { return use.turn >= beganAtTurn ? source : nil }
        let holders = places.indices.filter {
            (use.seen & (1 << UInt64($0))) != 0 && (use.seen & places[$0].behind) == 0
        }
        var names: [String] = []
        for name in holders.map({ places[$0].element }) where !names.contains(name) { names.append(name) }
        return names.joined(separator: " or ")
    }

    /// Element that holds the oldest buffer; with `guesses`, the probable holder if the probes do not show the holder.
    ///
    /// A guess locks the pads downstream, and takes up to 12 ms.
    public func holderOfOldest(downstreamOf host: ElementHost, guesses: Bool) -> LikelyHolder? {
        if let names = holder() { return LikelyHolder(element: names, hasEvidence: true, isCertain: true) }
        guard guesses else { return nil }
        return pool.locked { $0.shelf.oldest?.buffer }.flatMap { likelyHolder(of: $0, downstreamOf: host) }
    }

    /// Element that probably holds most of the buffers: the holder of the buffer of median age.
    ///
    /// The oldest buffer is not used, because a sink may hold only that buffer.
    public func holderOfMost(downstreamOf host: ElementHost) -> LikelyHolder? {
        guard let median = pool.locked({ $0.shelf.median }) else { return nil }
        guard median.use.hasPassed else {
            return source.map { LikelyHolder(element: $0, hasEvidence: true, isCertain: true) }
        }
        return likelyHolder(of: median.buffer, downstreamOf: host)
    }

    private func likelyHolder(of buffer: RawBuffer, downstreamOf host: ElementHost) -> LikelyHolder? {
        if let found = host.pad("src")?.searchHolder(where: { $0.withUnsafePointer { $0 == buffer } }) {
            return LikelyHolder(element: found.element, hasEvidence: true)
        }
        return source.map { LikelyHolder(element: $0, hasEvidence: false) }
    }

    /// Nearest element upstream of `host` that allocates or keeps buffers.
    private static func neighbour(of host: ElementHost) -> String? {
        let elements = host.elementsUpstream()
        // These elements push each buffer at once.
        let transparent = ["capsfilter", "identity"]
        return (elements.first { !transparent.contains($0.factory) } ?? elements.last)?.name
    }
}

/// An element that may hold a buffer.
public struct LikelyHolder: Sendable, Equatable {
    /// Name of the element.
    public let element: String
    /// Whether an observation shows that the element holds buffers; false if it is only the nearest element upstream.
    public let hasEvidence: Bool
    /// Whether the element certainly holds the buffers.
    public var isCertain = false
}
