import CGStreamer
import GStreamer
import Threads

extension Harness {
    /// Runs `body` with a harness of a new element, and returns what exists `limit` after the end of the harness.
    ///
    ///     let leaks = Harness.leaks(of: "negative", caps: caps) { harness in _ = harness.play(frame) }
    ///     #expect(leaks == [])
    ///
    /// Checked are the element, its first pads, and the buffers and events that the harness has pushed and the buffers
    /// that it has pulled. The call returns when none of them exists. If the harness cannot be made, the result has a
    /// text with the reason. The arguments are those of `Harness.init`.
    public static func leaks(
        of name: String, _ properties: [String: String] = [:], sink: String? = "sink", source: String? = "src",
        caps: String? = nil, within limit: Duration = .seconds(60), _ body: (Harness) throws -> Void
    ) rethrows -> [String] {
        let lifetimes = Lifetimes()
        do {
            initialize()
            guard let element = ElementReference(factory: name),
                let harness = Harness(
                    element, properties, sink: sink, source: source, caps: caps, lifetimes: lifetimes)
            else { return ["There is no element \(name) with these pads and properties, or it does not start."] }
            try body(harness)
        }
        _ = eventually(within: limit) { lifetimes.names.isEmpty }
        return lifetimes.names
    }
}

/// The objects that exist of those that a harness has seen.
package final class Lifetimes: Sendable {
    private let objects = Mutex<[UInt: String]>([:])

    /// Descriptions of the objects that exist, sorted.
    var names: [String] { objects.withLock { $0.values.sorted() } }

    /// Watches an element and its pads.
    func watch(_ element: UnsafeMutablePointer<GstElement>) {
        let reference = ElementReference(unsafe: element)
        watch(object: element, "element \(reference.name)")
        let watchPad: (borrowing Pad) -> Void = { pad in
            pad.withUnsafePointer { self.watch(object: $0, "pad \(pad.name) of \(reference.name)") }
        }
        reference.forEachSinkPad(watchPad)
        reference.forEachSourcePad(watchPad)
    }

    func watch(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        watch(mini: buffer, "buffer of \(gst_buffer_get_size(buffer)) bytes")
    }

    func watch(_ event: UnsafeMutablePointer<GstEvent>) {
        watch(mini: event, "event \(String(cString: gst_event_type_get_name(event.pointee.type)))")
    }

    private func watch(object: UnsafeMutableRawPointer, _ name: String) {
        guard let note = note(object, name) else { return }
        g_object_weak_ref(
            object.assumingMemoryBound(to: GObject.self), { note, object in Lifetimes.end(note, object) }, note)
    }

    private func watch(mini: UnsafeMutableRawPointer, _ name: String) {
        guard let note = note(mini, name) else { return }
        gst_mini_object_weak_ref(
            mini.assumingMemoryBound(to: GstMiniObject.self), { note, object in Lifetimes.end(note, object) }, note)
    }

    /// Enters an object, and returns the argument of its weak reference; nil if the object is entered already.
    private func note(_ object: UnsafeMutableRawPointer, _ name: String) -> UnsafeMutableRawPointer? {
        let isNew = objects.withLock { $0.updateValue(name, forKey: UInt(bitPattern: object)) == nil }
        return isNew ? Unmanaged.passRetained(self).toOpaque() : nil
    }

    private static func end(_ note: UnsafeMutableRawPointer?, _ object: UnsafeMutableRawPointer?) {
        guard let note else { return }
        let lifetimes = Unmanaged<Lifetimes>.fromOpaque(note).takeRetainedValue()
        lifetimes.objects.withLock { $0[UInt(bitPattern: object)] = nil }
    }
}
