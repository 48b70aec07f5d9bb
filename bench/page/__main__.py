"""The command: `python -m bench.page [server|browser|crowd] [--quick]` prints Markdown tables."""

import argparse

from bench.page import browser, crowd, server

PARTS = {"server": server.run, "browser": browser.run, "crowd": crowd.run}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.page")
    parser.add_argument("part", nargs="?", choices=PARTS, help="what to measure; all three if nothing is said")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, to try it out")
    wished = parser.parse_args()
    for part in [wished.part] if wished.part else PARTS:
        PARTS[part](0.1 if wished.quick else 1.0)


if __name__ == "__main__":
    main()
