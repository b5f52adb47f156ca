# SPDX-License-Identifier: GPL-2.0
"""A Chromium without a window, told what to do by way of WebDriver (chromedriver); and a server of
files for it, as a viewer is not opened from a file.
"""

import base64
import functools
import http.server
import json
import subprocess
import threading
import time
import urllib.error
import urllib.request

LONG = 300   # seconds; a busy machine is slow
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'   # the WebDriver standard's name of it


class Failed(Exception):
    """What chromedriver or a page has said."""


class Files:
    """with Files(folder) as address: ... on this machine only."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def __init__(self, folder):
        handler = functools.partial(self.Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f'http://127.0.0.1:{self.server.server_address[1]}'

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Chromium:
    """with Chromium() as browser: browser.go(address) ..."""

    def __init__(self, width=1400, height=900):
        self.size = f'--window-size={width},{height}'

    def __enter__(self):
        # It says which port it has chosen.
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(line.rstrip('.\n').split()[-1] for line in self.driver.stdout
                        if 'was started successfully' in line)
            self.at = f'http://127.0.0.1:{port}/session'
            options = {'args': ['--headless=new', '--no-sandbox', '--disable-gpu',
                                '--disable-dev-shm-usage', self.size]}
            self.at += '/' + self.call('', {'capabilities': {
                'alwaysMatch': {'goog:chromeOptions': options}}})['sessionId']
            self.call('/timeouts', {'script': LONG * 1000, 'pageLoad': LONG * 1000})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if '/session/' in getattr(self, 'at', ''):
                self.call('', method='DELETE')
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def call(self, path, body=None, method=None):
        request = urllib.request.Request(
            self.at + path, method=method or ('GET' if body is None else 'POST'),
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=2 * LONG) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)['value']['message']) from None

    def go(self, address):
        self.call('/url', {'url': address})

    def ask(self, script, *arguments):
        """What a body of a function of JavaScript returns; of a promise, what that comes to."""
        return self.call('/execute/sync', {'script': script, 'args': list(arguments)})

    def until(self, script, *arguments):
        """What it returns once that is true."""
        end = time.monotonic() + LONG
        while not (answer := self.ask(script, *arguments)):
            if time.monotonic() > end:
                raise Failed(f'this never held: {script}')
            time.sleep(0.2)
        return answer

    def choose_file(self, selector, path):
        """As somebody does who is asked for a file."""
        found = self.call('/element', {'using': 'css selector', 'value': selector})
        self.call(f'/element/{found[ELEMENT]}/value', {'text': path})

    def picture(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('/screenshot')))
