"""Loads the plugin that a benchmark measures."""
import contextlib
import os
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst


@contextlib.contextmanager
def folder_with_registry(prefix):
    """Yields a temporary folder. Puts the registry of GStreamer there, unless GST_REGISTRY names another file."""
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        os.environ.setdefault("GST_REGISTRY", os.path.join(folder, "registry.bin"))
        yield folder


def load(name, folder):
    """Initializes GStreamer with `folder` (or None) first in the plugin path, and returns the factory `name`.

    Exits with an error message if the element is missing, or if the plugin swiftvideo comes from another folder.
    """
    if folder:
        before = os.environ.get("GST_PLUGIN_PATH")
        os.environ["GST_PLUGIN_PATH"] = folder + (f":{before}" if before else "")
    Gst.init(None)
    factory = Gst.ElementFactory.find(name)
    if factory is None:
        sys.exit(f"There is no element {name}. Run plugin-build/build, or give --plugin-dir.")
    place = factory.get_plugin().get_filename() or ""
    is_ours = factory.get_plugin().get_name() == "swiftvideo"
    if folder and is_ours and os.path.dirname(os.path.realpath(place)) != os.path.realpath(folder):
        sys.exit(f"{name} was loaded from {place} instead of {os.path.realpath(folder)}.")
    print(f"{name} of {place}", flush=True)
    return factory
