"""Checks a trace against the schema in the package "perfetto": perfetto_schema.py FILE

Fails if a field is not in the schema, if an event refers to an undefined name or track, or if a slice does not end.
"""

import collections
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


def check_known(message, path):
    """Asserts that the schema has each field of the message and of its parts."""
    assert len(UnknownFieldSet(message)) == 0, f"{path} has unknown fields"
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in value if field.is_repeated else [value]:
                check_known(part, f"{path}.{field.name}")


def main():
    with open(sys.argv[1], "rb") as file:
        trace = Trace.FromString(file.read())
    check_known(trace, "trace")
    names, tracks, defaults, opened, flows = {}, {}, {}, collections.Counter(), collections.Counter()
    for packet in trace.packet:
        number = packet.trusted_packet_sequence_id
        assert number, "a packet without a sequence"
        if packet.HasField("trace_packet_defaults"):
            defaults[number] = packet.trace_packet_defaults.track_event_defaults.track_uuid
        for name in packet.interned_data.event_names:
            names[number, name.iid] = name.name
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        track = event.track_uuid or defaults[number]
        assert track in tracks, f"an event on track {track}"
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            opened[track] += 1
        if event.type == TrackEvent.TYPE_SLICE_END:
            opened[track] -= 1
            assert opened[track] >= 0, "an end without a begin"
        if event.type in (TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_INSTANT):
            assert (number, event.name_iid) in names, "an event without a name"
            flows.update(event.flow_ids)
            flows.update(event.terminating_flow_ids)
    assert trace.packet and not +opened, "a slice without an end"
    print(f"{len(trace.packet)} packets, {len(tracks)} tracks, {len(flows)} frames with flows")


main()
