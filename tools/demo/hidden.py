# SPDX-License-Identifier: GPL-2.0
"""A KernelShark in a window that nobody sees: started, clicked at, looked at.

Needs kernelshark, Xvfb and xdotool. The X server keeps what it shows in a file, from which pictures
are read.
"""

import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

WIDTH, HEIGHT = 1500, 1060
PROGRAMS = ('kernelshark', 'Xvfb', 'xdotool')
LONG = 300   # seconds; a busy machine is slow


class Failed(Exception):
    """It opened no window, or the like; says why."""


class Picture:
    """What the screen shows: `at`(x, y) is (red, green, blue)."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            data = file.read()
        head = struct.unpack('>25I', data[:100])
        size, self.width, self.height, order, bits, self.stride, colours = (head[0], head[4],
                                                                            head[5], head[7],
                                                                            head[11],
                                                                            head[12], head[19])
        if bits != 32 or order:
            raise Failed('the screen has not 32 bits a pixel')
        self.data = data[size + 12 * colours:]

    def at(self, x, y):
        blue, green, red = self.data[y * self.stride + 4 * x:y * self.stride + 4 * x + 3]
        return red, green, blue

    def row(self, y, left, right):
        return [self.at(x, y) for x in range(left, right)]

    def write(self, path):
        """As PNG."""
        rows = b''.join(b'\0' +
                        bytes(value for pixel in self.row(y, 0, self.width) for value in pixel)
                        for y in range(self.height))

        def chunk(kind, data):
            return struct.pack('>I', len(data)) + kind + data + struct.pack('>I',
                                                                            zlib.crc32(kind + data))

        with open(path, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n' +
                       chunk(b'IHDR',
                             struct.pack('>IIBBBBB', self.width, self.height, 8, 2, 0, 0, 0)) +
                       chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))


def axis(picture):
    """Where the graph has its time axis, white above it: its row, left and right end. None: there
    is none."""
    for y in range(80, 250):
        black = [x for x, pixel in enumerate(picture.row(y, 0, picture.width)) if pixel ==
                 (0, 0, 0)]
        if len(black) > picture.width // 2 and black[-1] - black[0] == len(black) - 1 and \
                picture.row(y - 4, 0, picture.width).count((255, 255, 255)) > picture.width // 2:
            return y, black[0], black[-1]
    return None


class Hidden:
    """with Hidden(arguments) as shark: ... `command`: what opens KernelShark."""

    def __init__(self, arguments, width=WIDTH, height=HEIGHT, command='kernelshark'):
        missing = [name for name in PROGRAMS if not shutil.which(name)]
        if missing:
            raise Failed(f'no {", ".join(missing)}; apt install kernelshark xvfb xdotool')
        self.arguments, self.width, self.height = [command, *arguments], width, height
        self.work = tempfile.TemporaryDirectory()
        self.jobs = []

    def __enter__(self):
        try:
            self.start_screen()
            self.start_kernelshark()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for job in reversed(self.jobs):
            job.terminate()
            try:
                job.wait(10)
            except subprocess.TimeoutExpired:
                job.kill()
                job.wait()
        self.work.cleanup()

    def start_screen(self):
        reading, writing = os.pipe()
        with open(self.work.name + '/xvfb.log', 'wb') as log:
            self.jobs.append(subprocess.Popen(
                # Not the first free one: that is free in each root, but all of them share the
                # sockets.
                ['Xvfb', f':{100 + os.getpid()}', '-displayfd', str(writing), '-screen', '0',
                 f'{self.width}x{self.height}x24', '-nolisten', 'tcp', '-fbdir', self.work.name],
                pass_fds=[writing], stdout=log, stderr=log))
        os.close(writing)
        with os.fdopen(reading) as answer:
            display = answer.readline().strip()
        if not display:
            raise Failed(f'Xvfb does not start: {self.log("xvfb.log")}')
        # A home of its own: no old session, no old questions.
        home = self.work.name + '/home'
        os.mkdir(home, 0o700)
        self.environment = {**os.environ, 'DISPLAY': ':' + display, 'HOME': home,
                            'XDG_RUNTIME_DIR': home, 'LIBGL_ALWAYS_SOFTWARE': '1',
                            'QT_QPA_PLATFORM': 'xcb', 'QT_X11_NO_MITSHM': '1'}

    def log(self, name='log'):
        with open(f'{self.work.name}/{name}', encoding='utf-8', errors='replace') as file:
            return file.read()[-2000:]

    def start_kernelshark(self):
        with open(self.work.name + '/log', 'wb') as log:
            self.jobs.append(subprocess.Popen(self.arguments, stdout=log, stderr=log,
                                              env=self.environment))
        window = None
        end = time.monotonic() + LONG
        while window is None:
            if time.monotonic() > end or self.jobs[-1].poll() is not None:
                raise Failed(f'KernelShark opened no window: {self.log()}')
            time.sleep(0.5)
            if os.getuid() == 0:
                self.tell('key', 'Return')   # run by root it asks first whether we mean it
            found = self.windows('^Kernel Shark')
            window = found[-1] if found else None
        self.window = window
        end = time.monotonic() + LONG
        while not self.fits():
            if time.monotonic() > end:
                raise Failed('the window does not take its size')
            self.settle(0.4)

    def fits(self):
        """Whether the window fills the screen; it takes the size that it likes again once the
        recording is there."""
        if f'{self.width}x{self.height}' in self.tell('getwindowgeometry', self.window):
            return True
        self.tell('windowmove', self.window, '0', '0', 'windowsize', self.window, str(self.width),
                  str(self.height))
        return False

    def tell(self, *words):
        done = subprocess.run(['xdotool', *words], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              check=False)
        return done.stdout

    def windows(self, name):
        """The visible ones with that name, a regular expression."""
        return self.tell('search', '--onlyvisible', '--name', name).split()

    def wait_window(self, name):
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            found = self.windows(name)
            if found:
                return found[-1]
            time.sleep(0.3)
        raise Failed(f'no window {name}')

    def picture(self):
        return Picture(self.work.name + '/Xvfb_screen0')

    def settle(self, quiet=0.8):
        """Until the picture has stayed the same for that long."""
        end, last, since = time.monotonic() + LONG, None, time.monotonic()
        while time.monotonic() < end:
            data = zlib.crc32(self.picture().data)
            if data != last:
                last, since = data, time.monotonic()
            elif time.monotonic() - since >= quiet:
                return self.picture()
            time.sleep(0.2)
        return self.picture()

    def click(self, x, y, times=1):
        self.tell('mousemove', str(x), str(y))
        time.sleep(0.3)
        self.tell('click', '--repeat', str(times), '--delay', '60', '1')
        return self.settle()

    def drag(self, x, y, to_x, to_y):
        self.tell('mousemove', str(x), str(y), 'mousedown', '1')
        for at_x, at_y in (((x + to_x) // 2, (y + to_y) // 2), (to_x, to_y)):
            time.sleep(0.3)
            self.tell('mousemove', str(at_x), str(at_y))
        time.sleep(0.3)
        self.tell('mouseup', '1')
        return self.settle()
