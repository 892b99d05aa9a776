"""Three browsers from Debian's packages behind one small class: WebDriver for Chromium and WebKitGTK, Marionette for
Firefox.

A browser that this machine does not have is left out by its name: `pytest.skip` says which package brings it.
"""

from __future__ import annotations

import base64
import contextlib
import glob
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

PACKAGES: Final = {
    "chromium": "chromium and chromium-driver",
    "firefox": "firefox-esr",
    "webkit": "webkit2gtk-driver and xvfb",
}
START_S: Final = 60

_UNTIL: Final = """
const [ms, done] = [arguments[0], arguments[arguments.length - 1]], end = Date.now() + ms;
const look = () => {
  let value = null;
  try { value = eval(arguments[1]); } catch (error) { value = null; }
  if (value || Date.now() > end) done(value || null); else setTimeout(look, 10);
};
look();
"""


class Engine:
    """One browser with one page. `ask(method, path, body)` sends a WebDriver command below the session."""

    touch = "touch"

    def __init__(self, name: str, ask: Callable[[str, str, dict[str, Any] | None], Any]) -> None:
        self.name = name
        self._ask = ask

    def go(self, address: str) -> None:
        self._ask("POST", "url", {"url": address})

    def reload(self) -> None:
        self._ask("POST", "refresh", {})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script returns in the page."""
        return self._ask("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments: Any) -> Any:
        """The value with which a script calls its last argument."""
        return self._ask("POST", "execute/async", {"script": script, "args": list(arguments)})

    def until(self, expression: str, ms: int = 30_000) -> Any:
        """Wait in the page until an expression is true; return it, or None when it never was."""
        return self.run_async(_UNTIL.replace("eval(arguments[1])", f"({expression})"), ms)

    def text(self, css: str) -> str:
        return str(self.run("return document.querySelector(arguments[0])?.textContent ?? ''", css))

    def shown(self, css: str) -> bool:
        return bool(self.run("return !!document.querySelector(arguments[0])?.getClientRects().length", css))

    def press(self, css: str) -> None:
        """Put a finger down in the middle of an element, and leave it there."""
        self._pointer([self._move(css), {"type": "pointerDown", "button": 0}])

    def lift(self) -> None:
        self._pointer([{"type": "pointerUp", "button": 0}])

    def tap(self, css: str) -> None:
        self._pointer([self._move(css), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def key(self, kind: str, value: str) -> None:
        """`keyDown` or `keyUp` of a key."""
        self._ask(
            "POST", "actions", {"actions": [{"type": "key", "id": "keys", "actions": [{"type": kind, "value": value}]}]}
        )

    def focus(self, css: str) -> None:
        self.run("document.querySelector(arguments[0]).focus()", css)

    def size(self, width: int, height: int) -> None:
        self._ask("POST", "window/rect", {"width": width, "height": height})

    def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self._ask("GET", "screenshot", None))

    def cdp(self, command: str, **parameters: Any) -> Any:
        """A command of Chromium's own protocol."""
        return self._ask("POST", "goog/cdp/execute", {"cmd": command, "params": parameters})

    def middle(self, css: str) -> tuple[int, int]:
        """Where an element is on the screen."""
        x, y = self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'nearest'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2].map(Math.round)",
            css,
        )
        return x, y

    def _move(self, css: str) -> dict[str, Any]:
        x, y = self.middle(css)
        return {"type": "pointerMove", "duration": 0, "x": x, "y": y}

    def _pointer(self, actions: list[dict[str, Any]]) -> None:
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": self.touch}, "actions": actions}
        self._ask("POST", "actions", {"actions": [finger]})


class Chromium(Engine):
    """Its driver lifts no finger that an earlier command put down, so fingers go through Chromium's own protocol."""

    def press(self, css: str) -> None:
        self.touches("touchStart", self.middle(css))

    def lift(self) -> None:
        self.touches("touchEnd")

    def tap(self, css: str) -> None:
        self.press(css)
        self.lift()

    def window(self) -> str:
        """The window that the next commands go to."""
        return str(self._ask("GET", "window", None))

    def other_window(self, handle: str | None = None) -> None:
        """Go on in another window: in this one, or in a new one."""
        handle = handle or self._ask("POST", "window/new", {"type": "window"})["handle"]
        self._ask("POST", "window", {"handle": handle})

    def touches(self, kind: str, *points: tuple[float, float]) -> None:
        """`touchStart`, `touchMove`, `touchEnd` or `touchCancel` with the fingers that are down then."""
        fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)


def free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


@contextlib.contextmanager
def engine(name: str, *, language: str = "en", options: tuple[str, ...] = ()) -> Iterator[Engine]:
    """Start a browser; skip the test, by the browser's name, where it is not installed."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        start = {"chromium": _chromium, "firefox": _firefox, "webkit": _webkit}[name]
        yield start(stack, Path(folder), language, options)


def _needs(name: str, *programs: str | None) -> list[str]:
    found = [program and shutil.which(program) for program in programs]
    if not all(found):
        pytest.skip(f"no {name} on this machine; Debian's packages are {PACKAGES[name]}")
    return [str(program) for program in found]


def _chromium(stack: contextlib.ExitStack, folder: Path, language: str, options: tuple[str, ...]) -> Engine:
    driver, browser = _needs("chromium", "chromedriver", "chromium")
    arguments = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--hide-scrollbars", f"--lang={language}", "--no-proxy-server",
        f"--accept-lang={language}", f"--user-data-dir={folder / 'profile'}", *options,
    ]  # fmt: skip
    wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": browser, "args": arguments}}
    port = free_port()
    _started(stack, folder, [driver, f"--port={port}"])
    return Chromium("chromium", _webdriver(stack, port, wanted))


def _webkit(stack: contextlib.ExitStack, folder: Path, language: str, options: tuple[str, ...]) -> Engine:
    mini = next(iter(sorted(glob.glob("/usr/lib/*/webkit2gtk-4*/MiniBrowser"))), None)
    driver, browser, screen = _needs("webkit", "WebKitWebDriver", mini, "Xvfb")
    display = f":{90 + os.getpid() % 900}"
    _started(stack, folder, [screen, display, "-screen", "0", "800x1000x24", "-nolisten", "tcp"])
    port = free_port()
    environment = {
        **os.environ, "DISPLAY": display, "HOME": str(folder), "LANGUAGE": language,
        "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1", "GDK_BACKEND": "x11",
    }  # fmt: skip
    _started(stack, folder, [driver, f"--port={port}", "--host=127.0.0.1"], environment)
    wanted = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation", *options]}}
    made = Engine("webkit", _webdriver(stack, port, wanted))
    made.touch = "mouse"
    return made


def _firefox(stack: contextlib.ExitStack, folder: Path, language: str, options: tuple[str, ...]) -> Engine:
    (browser,) = _needs("firefox", "firefox-esr")
    port = free_port()
    settings: dict[str, Any] = {
        "marionette.port": port, "intl.accept_languages": language, "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False, "network.proxy.type": 0,
        "toolkit.telemetry.reportingpolicy.firstRun": False, "browser.aboutConfig.showWarning": False,
        "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "dom.w3c_touch_events.enabled": 1,
    }  # fmt: skip
    lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in settings.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    _started(
        stack, folder,
        [browser, "--headless", "--marionette", "--no-remote", "--profile", str(folder), *options],
        {**os.environ, "HOME": str(folder), "MOZ_DISABLE_CONTENT_SANDBOX": "1"},
    )  # fmt: skip
    return Engine("firefox", _marionette(stack, port))


def _started(
    stack: contextlib.ExitStack, folder: Path, command: list[str], environment: dict[str, str] | None = None
) -> None:
    log = stack.enter_context((folder / f"{Path(command[0]).name}.log").open("wb"))
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)

    def stop() -> None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    stack.callback(stop)


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + START_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 120)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def _webdriver(
    stack: contextlib.ExitStack, port: int, wanted: dict[str, Any]
) -> Callable[[str, str, dict[str, Any] | None], Any]:
    _connected(port).close()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    stack.callback(connection.close)

    def request(method: str, path: str, body: dict[str, Any] | None) -> Any:
        connection.request(method, path, None if body is None else json.dumps(body))
        answer = json.loads(connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{path}: {answer['error']}: {answer.get('message', '')[:300]}")
        return answer

    session = request("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def end() -> None:
        with contextlib.suppress(RuntimeError, OSError):
            request("DELETE", f"/session/{session}", None)

    stack.callback(end)
    request("POST", f"/session/{session}/timeouts", {"script": 90_000})
    return lambda method, path, body: request(method, f"/session/{session}/{path}", body)


_MARIONETTE: Final = {
    "url": "WebDriver:Navigate",
    "refresh": "WebDriver:Refresh",
    "execute/sync": "WebDriver:ExecuteScript",
    "execute/async": "WebDriver:ExecuteAsyncScript",
    "actions": "WebDriver:PerformActions",
    "screenshot": "WebDriver:TakeScreenshot",
    "window/rect": "WebDriver:SetWindowRect",
    "timeouts": "WebDriver:SetTimeouts",
}


def _marionette(stack: contextlib.ExitStack, port: int) -> Callable[[str, str, dict[str, Any] | None], Any]:
    """Firefox's own protocol: the commands of WebDriver, each as `LENGTH:JSON` over TCP."""
    stream = stack.enter_context(stack.enter_context(_connected(port)).makefile("rwb"))
    number = 0

    def receive() -> Any:
        size = b""
        while (letter := stream.read(1)) != b":":
            assert letter, "Firefox has ended"
            size += letter
        return json.loads(stream.read(int(size)))

    def request(command: str, body: dict[str, Any]) -> Any:
        nonlocal number
        number += 1
        text = json.dumps([0, number, command, body]).encode()
        stream.write(b"%d:%s" % (len(text), text))
        stream.flush()
        _, _, error, value = receive()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message'][:300]}")
        return value["value"] if isinstance(value, dict) and value.keys() == {"value"} else value

    receive()
    request("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
    request("WebDriver:SetTimeouts", {"script": 90_000})
    return lambda _method, path, body: request(
        _MARIONETTE[path], {"full": False} if path == "screenshot" else body or {}
    )
