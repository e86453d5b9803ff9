#!/usr/bin/python3
"""browse.py - pages of report --html in a headless Chromium: what is there, by which key, and what is not

Usage: browse.py KNOWN EVIL LARGE

KNOWN: of tests/data/compare/may_open.lbr; EVIL: of the same with the names of plant.py markup; LARGE: of
10,000 snapshots. Prints verdict lines, as tests/lib.sh has them. Exit status 77: Chromium does not start.
"""
import sys

from chromium import Browser
from verdicts import failed, same, verdict

ROWS = "[...document.querySelectorAll('.item')].map(row => row.innerText.replace(/\\s+/g, ' '))"
SELECTED = "document.querySelector('.item[aria-selected=true]').dataset.row"
DETAIL = "document.querySelector('.detail').hidden ? null : document.querySelector('.detail h2').innerText"
# What the page is made of; anything else would be foreign markup.
TAGS = {"HTML", "HEAD", "META", "TITLE", "STYLE", "BODY", "HEADER", "H1", "H2", "H3", "P", "SPAN", "MAIN", "TABLE", "THEAD", "TBODY", "TR",
        "TH", "TD", "NOSCRIPT", "DIV", "SCRIPT", "INPUT", "BUTTON", "I", "B", "DIALOG", "KBD", "ASIDE", "SECTION", "DL", "DT", "DD", "PRE",
        "SELECT", "OPTION", "svg", "g", "rect", "text", "path", "defs", "marker", "title"}


def known(browser, url):
    page = browser.open(url)
    same("without script's table", page.eval("document.getElementById('static').hidden"), True)
    rows = page.eval(ROWS)
    same("a row for each path", len(rows), page.eval("JSON.parse(document.getElementById('data').textContent).paths.length"))
    verdict("errors first", all("may_open() = -E" in row for row in rows[:2]) and "= -E" not in rows[2], rows[:3])
    page.key("/")
    same("/ goes to the filter", page.eval("document.activeElement.id"), "search")
    page.type("eloop")
    rows = page.eval(ROWS)
    verdict("the filter finds", len(rows) == 1 and rows[0].startswith("12 may_open() = -ELOOP"), rows)
    same("and says how many", page.eval("document.querySelector('.shown').innerText").split(",")[1], " 12 of 211 snapshots")
    page.key("Enter")
    page.key("Enter")
    same("Enter opens", page.eval(DETAIL), "may_open() = -ELOOP")
    # The type of a symbolic link, inode(7).
    verdict("the deciding condition", "%cx == 0xa000" in page.eval("document.querySelector('.detail dd.key').innerText"))
    verdict("the deciding row", "taken" in page.eval("document.querySelector('.story .s-k .text').innerText"))
    page.key("3")
    verdict("the deciding block", "%cx == 0xa000" in page.eval("document.querySelector('.graph g.key').textContent"))
    verdict("what ran is drawn", page.eval("document.querySelectorAll('.graph path.ran').length") > 3)
    before = page.eval("document.querySelector('.graph svg').getAttribute('viewBox').split(' ').map(Number)")
    page.key("+")
    after = page.eval("document.querySelector('.graph svg').getAttribute('viewBox').split(' ').map(Number)")
    verdict("+ zooms in", after[2] < before[2] and after[3] < before[3], (before, after))
    page.key("2")
    verdict("no debug information: said", "debug information" in page.eval("document.querySelector('.detail').innerText"))
    page.key("4")
    verdict("by CPU", "CPU 0" in page.eval("document.querySelector('.detail').innerText"), page.eval("document.querySelector('.detail').innerText"))
    page.key("Escape")
    same("Escape closes", page.eval(DETAIL), None)
    page.key("Escape")
    same("and empties the filter", (page.eval("document.getElementById('search').value"), len(page.eval(ROWS))), ("", 11))
    page.type("jj")
    page.key("k")
    same("j and k move", page.eval(SELECTED), "1")
    page.key("G")
    same("G: the last", page.eval(SELECTED), "10")
    page.key("?")
    verdict("? lists keys", "Escape" in page.eval("document.querySelector('dialog[open]').innerText"))
    page.key("Escape")
    same("Escape closes the list", page.eval("document.querySelector('dialog[open]')"), None)
    page.key("l")
    times = page.eval(ROWS)
    page.key("l")
    cpus = page.eval(ROWS)
    page.key("l")
    snapshots = page.eval("document.querySelector('.item').getAttribute('aria-setsize')")
    verdict("tables by time, by CPU, of snapshots", len(times) > 1 and all(row.startswith("CPU") for row in cpus) and snapshots == "211",
            (times, cpus, snapshots))
    page.key("h")
    page.key("Enter")
    verdict("a CPU narrows", page.eval("document.getElementById('search').value").startswith("cpu:"))
    light = page.eval("getComputedStyle(document.body).backgroundColor")
    page.key("t")
    verdict("t: dark", page.eval("getComputedStyle(document.body).backgroundColor") != light)
    same("no complaint", page.complaints(), [])
    dark = browser.open(url, dark=True)
    verdict("the system's dark", dark.eval("getComputedStyle(document.body).backgroundColor") != light)


def other_ways(browser, url):
    page = browser.open(url, width=400, height=800)
    verdict("400 pixels", page.eval("document.documentElement.scrollWidth") <= 400, page.eval("document.documentElement.scrollWidth"))
    page.key("Enter")
    for key in "1234":
        page.key(key)
        width = page.eval("document.querySelector('.detail').scrollWidth")
        verdict(f"400 pixels, section {key}", width <= 400, width)
    page.call("Emulation.setEmulatedMedia", media="print")
    same("print: answers and the open path, no lists", page.eval(
        "['#static', '.detail', '.list', '.bar'].map(one => getComputedStyle(document.querySelector(one)).display !== 'none')"),
         [True, True, False, False])
    bare = browser.open(url, script=False)
    bare.call("Emulation.setScriptExecutionDisabled", value=False)
    same("without script: the answers", bare.eval("document.querySelector('#static tbody tr').innerText.replace(/\\s+/g, ' ').slice(0, 24)"),
         "12 may_open() = -ELOOP m")
    verdict("without script: said", "not allowed here" in bare.eval("document.querySelector('noscript').textContent"))


def walk(page):
    """All tables, and all sections of each path."""
    for _ in range(4):
        page.key("l")
    for row in range(page.eval("document.querySelectorAll('.item').length")):
        page.key("g")
        page.type("j" * row)
        page.key("Enter")
        for key in "1234":
            page.key(key)
        page.key("Escape")


def evil(browser, url):
    page = browser.open(url)
    page.key("Enter")
    verdict("a name of markup is text", page.eval(DETAIL).startswith("<script>alert(1)</script>\\u{202e}"), page.eval(DETAIL))
    same("it is cut", page.eval("document.querySelector('.detail h2').innerText.length < 400"), True)
    page.eval("document.querySelector('.detail h2 .more').click()")
    verdict("all of it on demand", page.eval("document.querySelector('.detail h2').innerText").count("x") > 900)
    page.key("4")
    page.eval("[...document.querySelectorAll('.detail .more')].forEach(one => one.click())")
    found = page.eval("document.querySelector('.detail').textContent")
    verdict("the machine's name, too", found.count("x") > 2900, (found.count("x"), found))
    page.key("1")
    page.eval("[...document.querySelectorAll('.detail .more')].forEach(one => one.click())")
    found = page.eval("document.querySelector('.detail').textContent")
    verdict("all of a line of the log on demand", found.count("y") > 900, (found.count("y"), found))
    page.key("Escape")
    walk(page)
    page.key("Enter")
    for key in "3412":
        page.key(key)
    tags = set(page.eval("[...new Set([...document.querySelectorAll('*')].map(one => one.tagName))]"))
    same("no foreign element", tags - TAGS, set())
    same("no other script", page.eval("document.scripts.length"), 2)
    same("no event handler, no reference", page.eval(
        "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes]).filter(a => /^on|^src|href|action|formaction/.test(a.name)).length"), 0)
    text = page.eval("document.body.textContent + document.title")
    text = text.replace(page.eval("document.getElementById('data').textContent"), "")
    hidden = [f"U+{ord(c):04x}" for c in text if ord(c) in (0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a)) or ord(c) == 0x1b]
    same("nothing turns the text around", hidden, [])
    same("nothing was run, asked or said", (page.complaints(), page.happened("Page.javascriptDialogOpening")), ([], []))
    page.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); })()")
    same("the policy refuses a script", page.eval("window.hit"), None)
    page.eval("(() => { const s = document.createElement('img'); s.src = 'https://example.com/x.png'; document.body.append(s); })()")
    verdict("and what is elsewhere", any("Content Security Policy" in one for one in page.complaints()), page.complaints())


def large(browser, url):
    page = browser.open(url)
    page.type("lll")
    nodes = page.eval("document.querySelectorAll('.item').length")
    verdict("10,000 rows: only those that are seen", 10 < nodes < 120, nodes)
    page.key("G")
    same("and the last is there", page.eval(SELECTED), "9999")
    same("no complaint of 10,000", page.complaints(), [])


def main():
    urls = ["file://" + path for path in sys.argv[1:4]]
    try:
        browser = Browser()
        browser.call("Browser.getVersion")
    except (OSError, TimeoutError, ConnectionError) as error:
        print(f"# {error}")
        return 77
    with browser:
        known(browser, urls[0])
        other_ways(browser, urls[0])
        evil(browser, urls[1])
        large(browser, urls[2])
    return failed()


sys.exit(main())
