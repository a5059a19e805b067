"""The window in which a look is found. The script `pipelines/look` runs this package; see docs/look.md.

`settings` and `look` know no pipeline and no window. `player` decodes and `renderer` applies looks, each on a thread of
its own, so that the window never waits for them. `rendering` runs pipelines/batch. All other modules are widgets, and
run on the main thread.
"""
