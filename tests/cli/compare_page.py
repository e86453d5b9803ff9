#!/usr/bin/python3
"""compare_page.py - does a page of compare --html say what compare --json does, and is it inert?

Usage: compare_page.py PAGE JSON
"""
import base64
import hashlib
import json
import re
import sys

from page import Page


class Ranking(Page):
    def handle_starttag(self, tag, attrs):
        if tag in ("svg", "rect"):
            assert {name for name, _ in attrs} <= {"viewbox", "preserveaspectratio", "width", "height"}, attrs
            if tag == "svg":
                super().handle_starttag("div", [])
            return
        super().handle_starttag({"section": "div", "code": "span"}.get(tag, tag), attrs)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        super().handle_endtag({"svg": "div", "section": "div", "code": "span"}.get(tag, tag))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        raw = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        reasons = [json.loads(line) for line in file]
    page = Ranking()
    page.feed(raw.replace("<br>", " "))
    page.close()
    assert not page.open, f"not closed: {page.open}"
    assert "<script" not in raw, "a script"
    (_, style), = page.of("style")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert page.policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'", page.policy
    found = re.findall(r"</svg>(\d+) of (\d+)(?: \(not known of \d+\))?</td>", raw)
    wanted = []
    for reason in reasons:
        for item in reason["decisions"]:
            wanted += [(str(item[side]["true"]), str(item[side]["known"])) for side in ("failing", "passing")]
        heads = [text for given, text in page.of("h2")]
        assert any(text == f"{reason['function']}() = -{reason['errno']}" for text in heads), heads
        assert f"{reason['failing']} failing, {reason['passing']} passing calls" in raw, reason["failing"]
    assert found == wanted, f"{found}, wanted {wanted}"
    conditions = [item["source"]["text"] if item["source"] else item["condition"]
                  for reason in reasons for item in reason["decisions"] if item["source"] or item["condition"]]
    cells = " ".join(text for given, text in page.of("td"))
    assert all(condition in cells for condition in conditions), cells
    print(f"{len(reasons)} reasons, {len(wanted) // 2} decisions")


try:
    main()
except AssertionError as error:
    print("page:", error)
    sys.exit(1)
