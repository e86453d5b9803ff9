#!/usr/bin/python3
"""browser.py - how long a headless Chromium takes to open a page of report --html, and to scroll it

Usage: browser.py PAGE

Opened: from the request to the first frame that shows rows; the median of five. Scrolled: the longest of 200
frames, each a screen further in the table of snapshots. Memory: of the page's script.
"""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from chromium import Browser  # noqa: E402

SCROLL = """(async () => {
	const list = document.querySelector('.list');
	let longest = 0, before = performance.now();
	for (let i = 0; i < 200; i++) {
		list.scrollTop += list.clientHeight;
		await new Promise(requestAnimationFrame);
		longest = Math.max(longest, performance.now() - before);
		before = performance.now();
	}
	return longest;
})()"""


def main():
    url = "file://" + os.path.abspath(sys.argv[1])
    opened = []
    with Browser() as browser:
        for _ in range(5):
            page = browser.open(url)
            assert page.eval("document.querySelectorAll('.item').length") > 5
            opened.append(page.eval("performance.now()"))
        page.type("lll")
        longest = page.eval(SCROLL)
        heap = page.call("Runtime.getHeapUsage")["usedSize"]
    print(f"opened in Chromium in {statistics.median(opened):.0f} ms, scrolled with frames of {longest:.0f} ms at most, "
          f"{heap / 1e6:.0f} MB of script's memory")


main()
