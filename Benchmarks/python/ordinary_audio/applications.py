"""Creates the pipelines of a row: from its launch line, or as its application does."""
from gi.repository import Gst


def players(row, element, places):
    from player import Player

    make = {"playbin": playbin, "ges": timeline}.get(row.application, launch)
    count = 3 if row.application == "three" else 1
    return [Player(make(row, element, places), row.actions) for _ in range(count)]


def launch(row, element, places):
    return Gst.parse_launch(row.text(element, places))


def playbin(row, element, places):
    """A playbin with the element as its audio filter."""
    pipeline = Gst.ElementFactory.make("playbin")
    pipeline.set_property("uri", Gst.filename_to_uri(row.text(None, places)))
    if element:
        pipeline.set_property("audio-filter", Gst.parse_launch(element))
    pipeline.set_property("audio-sink", Gst.ElementFactory.make("virtualdac"))
    video = Gst.ElementFactory.make("fakesink", "fakevideo")
    video.set_property("sync", True)
    pipeline.set_property("video-sink", video)
    return pipeline


def timeline(row, element, places):
    """A timeline of two clips, with the element in front of its audio sink."""
    import gi

    gi.require_version("GES", "1.0")
    from gi.repository import GES

    GES.init()
    line = GES.Timeline.new()
    line.add_track(GES.AudioTrack.new())
    layer = line.append_layer()
    asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(row.text(None, places)))
    for turn in range(2):
        layer.add_asset(asset, turn * Gst.SECOND, 0, Gst.SECOND, GES.TrackType.AUDIO)
    pipeline = GES.Pipeline.new()
    pipeline.set_timeline(line)
    text = f"{element} ! virtualdac" if element else "virtualdac"
    pipeline.preview_set_audio_sink(Gst.parse_bin_from_description(text, True))
    pipeline.preview_set_video_sink(Gst.ElementFactory.make("fakesink"))
    pipeline.set_mode(GES.PipelineFlags.AUDIO_PREVIEW)
    return pipeline
