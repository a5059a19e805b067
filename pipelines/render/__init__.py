"""Renders a video in segments on many machines. The script `pipelines/batch` runs this package; see docs/batch.md.

The modules of this package do not import GStreamer. Only `remote` and `task` import Dask. The subpackage `media` calls
GStreamer. Each task of `media` runs in its own process, so a crash of an element fails one segment only.
"""
