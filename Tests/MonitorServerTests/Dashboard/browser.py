#!/usr/bin/env python3
"""Checks the dashboard in a headless Chromium: browser.py CHROMIUM PAGE FOLDER [FILE]

PAGE is a URL. The script saves screenshots in FOLDER. With FILE, the page shows this JSON lines file on a desktop and
on a phone, in light and dark. Without FILE, the page receives the events of the server. The script prints "live" when
the page shows events; the server must then stop. The script prints "silent" when the page shows "no data"; the server
must then restart. The script prints "again" when the page shows new events.
The script prints one line for each fault: an error in the console, a request to another server, text wider than the
screen or of low contrast, or a control without effect.
The script controls the browser through a pipe with the DevTools protocol, so it requires no package.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

VIEWS = [("desktop", 1280, 800, "light"), ("desktop", 1280, 800, "dark"), ("phone", 375, 812, "light"), ("phone", 375, 812, "dark")]

# Faults of the screen: content wider than the screen, and text with less contrast than WCAG AA requires.
CHECK = r"""(() => {
  const faults = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  const parse = (colour) => { const parts = colour.match(/[\d.]+/g).map(Number); return parts.length > 3 ? parts : [...parts, 1]; };
  const light = ([r, g, b]) => { const f = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const backOf = (node) => { for (; node; node = node.parentElement) { const back = parse(getComputedStyle(node).backgroundColor);
    if (back[3] > 0.99) return back; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !parent.getClientRects().length || /^(SCRIPT|STYLE|TITLE|OPTION)$/i.test(parent.tagName)) continue;
    count++;
    const style = getComputedStyle(parent), isSVG = parent instanceof SVGElement;
    const rect = isSVG && parent.parentElement.querySelector("rect");
    const back = isSVG ? parse(getComputedStyle(rect).fill) : backOf(parent);
    const ratio = contrast(parse(isSVG ? style.fill : style.color), back);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(1)} of "${walker.currentNode.data.trim().slice(0, 40)}"`);
    const box = parent.getBoundingClientRect(), scroll = parent.closest(".scroll");
    if (box.right > width + 1 && !scroll) faults.push(`"${walker.currentNode.data.trim().slice(0, 40)}" ends at ${Math.round(box.right)} px`);
  }
  if (count < 100) faults.push(`only ${count} texts are shown`);
  return [...new Set(faults)].slice(0, 12);
})()"""


def give_up(*faults):
    print("\n".join(faults), flush=True)
    sys.exit(1)


class Browser:
    def __init__(self, chromium, folder):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4. One of the pipes may have descriptor 3 or 4, so first
        # copy both pipes to 13 and 14.
        def connect():
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)
        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--user-data-dir=" + folder, "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.faults, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.buffer:
            data = os.read(self.into, 1 << 20)
            if not data:
                give_up("the browser ended")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    give_up(*self.faults, f"{method}: {answer['error']}")
                return answer["result"]
            self.notice(answer)

    def notice(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.faults.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.faults.append("console: " + parameters["entry"]["text"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.faults.append(f"console: {parameters['args']}")
        elif event.get("method") == "Page.javascriptDialogOpening":
            self.faults.append("a dialog opened: " + parameters.get("message", ""))
            give_up(*self.faults)
        elif event.get("method") == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith((sys.argv[2], "data:", "about:", "blob:")):
                self.faults.append("a request to " + address)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            give_up(*self.faults, f"{expression[:80]}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + 30
        while not self.evaluate(expression):
            if time.monotonic() > end:
                give_up(*self.faults, "never true: " + expression)
            self.evaluate("new Promise((resume) => setTimeout(resume, 50))")

    def open(self, page):
        # Load a blank page first, so that the last wait cannot match the previous page.
        self.call("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.call("Page.navigate", url=page)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete' && typeof history.add === 'function'")

    def give_file(self, path):
        node = self.call("Runtime.evaluate", expression="document.getElementById('file')")["result"]["objectId"]
        self.call("DOM.setFileInputFiles", files=[os.path.abspath(path)], objectId=node)

    def screenshot(self, path, whole):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


def look(browser, page, folder, file, view):
    name, width, height, theme = view
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=name == "phone")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.open(page)
    if file:
        browser.give_file(file)
    browser.wait("document.querySelectorAll('#elements article').length > 0")
    browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for fault in browser.evaluate(CHECK):
        browser.faults.append(f"{name} {theme}: {fault}")
    if browser.evaluate("document.documentElement.dataset.theme") != theme:
        browser.faults.append(f"{name} {theme}: the preference is not followed")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}-{theme}")
    browser.screenshot(path + ".png", False)
    # Enlarge the window to the whole page, so that the page draws every chart.
    size = browser.evaluate("document.documentElement.scrollHeight")
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=min(size, 12000), deviceScaleFactor=1, mobile=name == "phone")
    browser.evaluate("new Promise((done) => setTimeout(done, 300))")
    browser.screenshot(path + "-whole.png", False)


def say(word):
    print(word, flush=True)


def follow(browser, page, folder):
    browser.call("Emulation.setDeviceMetricsOverride", width=375, height=812, deviceScaleFactor=1, mobile=True)
    browser.open(page)
    browser.wait("document.getElementById('status').textContent === 'live' && history.times.length > 3")
    say("live")
    browser.wait("/^no data since \\d\\d:\\d\\d:\\d\\d \\(\\d+ s\\)$/.test(document.getElementById('status').textContent)")
    browser.faults = [fault for fault in browser.faults if "ERR_CONNECTION_REFUSED" not in fault
                      and "ERR_INCOMPLETE_CHUNKED_ENCODING" not in fault]
    samples = browser.evaluate("history.times.length")
    os.makedirs(folder, exist_ok=True)
    browser.screenshot(os.path.join(folder, "silent.png"), False)
    say("silent")
    browser.wait(f"document.getElementById('status').textContent === 'live' && history.times.length > {samples} + 3")
    browser.faults = [fault for fault in browser.faults if "ERR_CONNECTION_REFUSED" not in fault]
    say("again")


def use_controls(browser):
    """Checks that each control changes its value in the page."""
    checks = [
        ("theme", "document.documentElement.dataset.theme", "document.getElementById('theme').click()"),
        ("cursor", "document.getElementById('tiles').textContent",
         "{ const c = document.getElementById('cursor'); c.value = 5; c.oninput({ target: c }); }"),
        ("follow", "document.getElementById('tiles').textContent", "document.getElementById('follow').click()"),
        ("order", "document.querySelector('#elements article h3').textContent",
         "{ const o = document.getElementById('order'); o.value = 'slow'; o.onchange(); }"),
        ("span", "range().from", "{ const s = document.getElementById('span'); s.value = '60'; s.onchange({ target: s }); }"),
    ]
    for name, value, action in checks:
        before = browser.evaluate(value)
        browser.evaluate(action)
        browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if browser.evaluate(value) == before:
            browser.faults.append(f"the control {name} changes nothing: {before}")


def main():
    chromium, page, folder = sys.argv[1:4]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            if len(sys.argv) > 4:
                for view in VIEWS:
                    look(browser, page, folder, sys.argv[4], view)
                use_controls(browser)
            else:
                follow(browser, page, folder)
        finally:
            browser.process.kill()
            browser.process.wait()
        for fault in browser.faults:
            say(fault)
    sys.exit(bool(browser.faults))


if __name__ == "__main__":
    main()
