"""Renders a long video in segments on many machines; `pipelines/batch` starts it, docs/batch.md describes it.

The modules of this package import neither GStreamer nor, except for `remote` and `task`, Dask. Those of
`media` call GStreamer; each task runs in a process of its own, so that a crash of an element ends one segment only.
"""
