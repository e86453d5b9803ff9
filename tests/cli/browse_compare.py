#!/usr/bin/python3
"""browse_compare.py - a page of compare --html in a headless Chromium: what is there, with which keys, and what is not

Usage: browse_compare.py PAGE JSON [SCREENSHOT]

JSON: of compare --json, over the same calls. Prints verdict lines, as tests/lib.sh has them. Exit status 77: Chromium
does not start.
"""
import json
import sys

from chromium import Browser
from verdicts import failed, same, verdict

# What the page is made of; anything else would be foreign markup.
TAGS = {"HTML", "HEAD", "META", "TITLE", "STYLE", "BODY", "HEADER", "H1", "H2", "P", "SPAN", "MAIN", "SECTION", "CODE", "TABLE", "THEAD", "TBODY",
        "TR", "TH", "TD", "BR", "svg", "rect"}
BARS = "[...document.querySelectorAll('td.way')].map(cell => [cell.querySelector('rect').getBoundingClientRect().width / " \
       "cell.querySelector('svg').getBoundingClientRect().width, cell.innerText.trim()])"
# Marks of direction, separators of lines, the escape character.
HIDDEN = {0x1b, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)}


def shown(name):
    """What is not to be seen is spelled out, and a long name is cut"""
    text = "".join(f"\\u{{{ord(c):x}}}" if ord(c) in HIDDEN else c for c in name[:300])
    return text + "…" * (len(name) > 300)


def ranking(page, reasons):
    """The rows, as the browser shows them, against the JSON"""
    same("a section for each reason", page.eval("[...document.querySelectorAll('section.reason h2')].map(one => one.innerText)"),
         [f"{shown(reason['function'])}() = -{reason['errno']}" for reason in reasons])
    same("a row for each decision", page.eval("[...document.querySelectorAll('section.reason')].map(one => one.querySelectorAll('tbody tr').length)"),
         [len(reason["decisions"]) for reason in reasons])
    wanted = [item[side] for reason in reasons for item in reason["decisions"] for side in ("failing", "passing")]
    bars = page.eval(BARS)
    verdict("both ways side by side: as long as their share", len(bars) == len(wanted) and all(
        abs(share - count["true"] / max(1, count["known"])) < 0.02 and text.startswith(f"{count['true']} of {count['known']}")
        for (share, text), count in zip(bars, wanted)), (bars, wanted))
    same("what is in doubt is said", page.eval("[...document.querySelectorAll('.doubt')].map(one => one.innerText)"),
         [reason["doubt"] for reason in reasons if reason["doubt"]])


def keys(page):
    page.call("Emulation.setDeviceMetricsOverride", width=1000, height=200, deviceScaleFactor=1, mobile=False)
    # A key goes by what was last drawn: of the larger window there was nothing to scroll.
    page.eval("new Promise(done => { const look = () => innerHeight === 200 ? requestAnimationFrame(() => requestAnimationFrame(done))"
              " : setTimeout(look, 20); look(); })")
    for key, code in (("End", 35), ("Home", 36)):
        for event in ("rawKeyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=event, key=key, code=key, windowsVirtualKeyCode=code, nativeVirtualKeyCode=code)
        wanted = "document.documentElement.scrollHeight - innerHeight" if key == "End" else "0"
        # It glides there: a key before it stands still is lost.
        at = page.eval("new Promise(done => { let left = 100, still = 0; const look = () => { still = Math.abs(scrollY - (" + wanted +
                       ")) < 1 ? still + 1 : 0; if (still > 10 || !left--) done([scrollY, " + wanted + "]); else setTimeout(look, 20); }; look(); })")
        verdict(f"{key} goes there", abs(at[0] - at[1]) < 2, at)


def inert(page):
    same("no foreign element", set(page.eval("[...new Set([...document.querySelectorAll('*')].map(one => one.tagName))]")) - TAGS, set())
    same("no event handler, no reference", page.eval(
        "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes]).filter(a => /^on|^src|href|action|formaction/.test(a.name)).length"), 0)
    text = page.eval("document.body.textContent + document.title")
    hidden = [f"U+{ord(c):04x}" for c in text if ord(c) in HIDDEN]
    same("nothing turns the text around", hidden, [])
    verdict("a long name is cut", page.eval("Math.max(...[...document.querySelectorAll('.f')].map(one => one.innerText.length))") < 2000)
    same("nothing was run, asked or said", (page.complaints(), page.happened("Page.javascriptDialogOpening")), ([], []))
    page.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); })()")
    same("the policy refuses a script", page.eval("window.hit"), None)


def main():
    url = "file://" + sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as lines:
        reasons = [json.loads(line) for line in lines]
    try:
        browser = Browser()
        browser.call("Browser.getVersion")
    except (OSError, TimeoutError, ConnectionError) as error:
        print(f"# {error}")
        return 77
    with browser:
        page = browser.open(url)
        ranking(page, reasons)
        if len(sys.argv) > 3:
            page.screenshot(sys.argv[3])
        light = page.eval("getComputedStyle(document.body).backgroundColor")
        keys(page)
        page.call("Emulation.setEmulatedMedia", media="print")
        same("print: all of it", page.eval("[...document.querySelectorAll('section.reason')].every(one => one.getBoundingClientRect().height > 0)"), True)
        inert(page)
        dark = browser.open(url, dark=True)
        verdict("the system's dark", dark.eval("getComputedStyle(document.body).backgroundColor") != light)
        narrow = browser.open(url, width=400, height=800)
        verdict("400 pixels", narrow.eval("document.documentElement.scrollWidth") <= 400, narrow.eval("document.documentElement.scrollWidth"))
    return failed()


sys.exit(main())
