"""The Studio and a browser, as the tests use them."""

import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request


class Studio:
    """A running Studio. Its address has the token."""

    def __init__(self, program, *arguments, **options):
        """Starts it. `options` are those of `subprocess.Popen`."""
        self.process = subprocess.Popen(
            [program, *arguments, "--no-open"], stdout=subprocess.PIPE, text=True,
            start_new_session=True, **options)
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", line)
        if not match:
            raise AssertionError(f"The Studio printed no address but '{line}'.")
        self.address = match[0]
        self.port = int(match[1])
        self.token = match[2]
        self.base = f"http://127.0.0.1:{self.port}"

    def request(self, path, method="GET", headers=None, body=None, with_cookie=True):
        """Returns the status and the body of an answer."""
        headers = dict(headers or {})
        if with_cookie:
            headers["Cookie"] = f"realm-studio-{self.port}={self.token}"
        request = urllib.request.Request(
            self.base + path, method=method, headers=headers, data=body)
        opener = urllib.request.build_opener(NoRedirect)
        try:
            with opener.open(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def memory(self):
        """The bytes of its private memory."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"RssAnon:\s+(\d+) kB", status.read())[1]) * 1000

    def is_idle(self):
        """Whether it uses less than a tenth of a processor."""
        def used():
            with open(f"/proc/{self.process.pid}/stat") as status:
                fields = status.read().rsplit(")", 1)[1].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(0.5)
        return used() - before < 0.05

    def connections(self):
        """The number of open connections."""
        own = f":{self.port:04X}"
        with open("/proc/net/tcp") as sockets:
            return sum(
                line.split()[1].endswith(own) and line.split()[3] in ("01", "08")
                for line in sockets)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(timeout=20)
        self.process.stdout.close()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def until(condition, seconds=20, what="condition"):
    """Returns the first true value of a function; fails after some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come true within {seconds} s")
