"""chromium.py - a headless Chromium, driven by the DevTools protocol over a pipe

    with Browser() as browser:
        page = browser.open("file:///x.html", width=1280, height=900)
        page.eval("document.title")

Nothing is fetched from the network: the host resolver knows no name.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--mute-audio", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"]


class Browser:
    def __init__(self, patience=60):
        self.patience = patience
        self.home = tempfile.mkdtemp(prefix="lbrsnoop-chromium.")
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(from_write, True)

        # The protocol's pipes are descriptors 3 and 4.
        def pipes():
            high = [os.dup2(to_read, 60), os.dup2(from_write, 61)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        self.process = subprocess.Popen(
            [shutil.which("chromium"), *FLAGS, f"--user-data-dir={self.home}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes,
            start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.number, self.buffer, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        end = time.monotonic() + self.patience
        while b"\0" not in self.buffer:
            if not select.select([self.back], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("chromium does not answer")
            got = os.read(self.back, 1 << 16)
            if not got:
                raise ConnectionError("chromium has ended")
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, **size):
        return Page(self, url, **size)


class Page:
    def __init__(self, browser, url, width=1280, height=900, dark=False, script=True):
        self.browser = browser
        self.script = script
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        browser.events.clear()
        self.began = time.monotonic()
        self.call("Page.navigate", url=url)
        while not self.happened("Page.loadEventFired"):
            browser.events.append(browser.message())
        self.loaded_s = time.monotonic() - self.began

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def happened(self, name):
        return [event["params"] for event in self.browser.events
                if event.get("method") == name and event.get("sessionId") == self.session]

    def eval(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return got["result"].get("value")

    def settle(self):
        """What the page does in its next two frames is done."""
        if self.script:
            self.eval("new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 5))")

    def key(self, key, text=None):
        text = key if text is None and len(key) == 1 else text
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}.get(key, 0)
        press = {"type": "keyDown" if text else "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
        if text:
            press["text"] = text
        elif key == "Enter":
            press.update(type="keyDown", text="\r")
        self.call("Input.dispatchKeyEvent", **press)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def complaints(self):
        """What the console has of errors, exceptions and refused things; and what was asked of the network."""
        self.settle()
        logged = [entry["entry"]["text"] for entry in self.happened("Log.entryAdded") if entry["entry"]["level"] in ("error", "warning")]
        thrown = [entry["exceptionDetails"].get("exception", {}).get("description", "exception")
                  for entry in self.happened("Runtime.exceptionThrown")]
        said = [str(entry["args"]) for entry in self.happened("Runtime.consoleAPICalled")]
        asked = [entry["request"]["url"] for entry in self.happened("Network.requestWillBeSent")]
        return logged + thrown + said + [url[:200] for url in asked[1:]]

    def screenshot(self, path):
        self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))
