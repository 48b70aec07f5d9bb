"""What a token costs on its way to the page, and how the page bears it: ours beside the usual way, in one run.

`python -m bench.page server`, `browser` or `crowd`; all three without a word. `--quick` is a tenth, to try it out.
"""
