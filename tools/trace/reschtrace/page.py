# SPDX-License-Identifier: GPL-2.0
"""A timeline as one HTML file that needs nothing else: zoom with the wheel, drag, point at
something to read what it is."""

import html

from . import timeline
from .traceevent import Unwritable

HEAD = '''<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>%s</title>
<style>
body { margin: 0; font: 13px sans-serif; color: #222 }
h1 { font-size: 15px; margin: 8px 12px 2px } p { margin: 0 12px 6px; color: #777 }
canvas { display: block; cursor: grab }
#tip { position: fixed; display: none; background: #fffffff0; border: 1px solid #999; padding: 4px 8px; white-space: pre;
  pointer-events: none; font-size: 12px; max-width: 40em }
</style>
<h1>%s</h1>
<p>wheel: zoom; drag: move; double click: all of it; point at a bar to read what it is</p>
<canvas id="view"></canvas><div id="tip"></div>
<script type="application/json" id="data">
'''

TAIL = '''</script>
<script>
'use strict';
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#8c6d31', '#6a3d9a', '#4d4d4d'];
const LEFT = 240, TOP = 26, ROW = 20, MISS = '#d62728';
const names = new Map(), rows = new Map(), processes = new Map();
let low = Infinity, high = -Infinity;
const row = e => {
  const key = e.pid + ' ' + e.tid;
  if (!rows.has(key)) rows.set(key, {pid: e.pid, tid: e.tid, slices: [], marks: []});
  return rows.get(key);
};
for (const e of JSON.parse(document.getElementById('data').textContent).traceEvents) {
  if (e.ph === 'M' && e.name === 'process_name') processes.set(e.pid, e.args.name);
  else if (e.ph === 'M' && e.name === 'thread_name') names.set(e.pid + ' ' + e.tid, e.args.name);
  else if (e.ph === 'X') row(e).slices.push(e);
  else if (e.ph === 'i') row(e).marks.push(e);
  if (e.ph === 'X' || e.ph === 'i') { low = Math.min(low, e.ts); high = Math.max(high, e.ts + (e.dur || 0)); }
}
const lanes = [...rows.values()].sort((a, b) => a.pid - b.pid || a.tid - b.tid);
for (const lane of lanes) {
  lane.slices.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  lane.longest = lane.slices.reduce((most, e) => Math.max(most, e.dur), 0);
}
const canvas = document.getElementById('view'), paint = canvas.getContext('2d'), tip = document.getElementById('tip');
let from = low, to = high > low ? high : low + 1, held = null;
const x = time => LEFT + (time - from) / (to - from) * (canvas.clientWidth - LEFT);
const time = at => from + (at - LEFT) / (canvas.clientWidth - LEFT) * (to - from);
const show = us => us >= 1e6 ? +(us / 1e6).toFixed(6) + ' s' : us >= 1e3 ? +(us / 1e3).toFixed(6) + ' ms' : +us.toFixed(3) + ' \\u00b5s';
function colour(e) {
  if (e.cname) return {terrible: MISS, bad: '#e8998d', grey: '#c9c9c9'}[e.cname];
  let sum = 0;
  const text = e.cat === 'job' || e.cat === 'execution' ? e.cat : e.name;
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) >>> 0;
  return COLOURS[sum % COLOURS.length];
}
function first(lane) {          // of the slices that may reach into the window
  let a = 0, b = lane.slices.length;
  while (a < b) { const m = (a + b) >> 1; if (lane.slices[m].ts < from - lane.longest) a = m + 1; else b = m; }
  return a;
}
function axis(width, height) {
  const rough = (to - from) / Math.max(2, (width - LEFT) / 110), ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(n => n * ten >= rough) * ten;
  paint.textAlign = 'center';
  for (let n = Math.ceil(from / step); n * step <= to; n++) {
    paint.fillStyle = '#e3e3e3'; paint.fillRect(x(n * step), TOP, 1, height - TOP);
    paint.fillStyle = '#555'; paint.fillText(show(n * step), x(n * step), 16);
  }
  paint.textAlign = 'left';
}
function draw() {
  const scale = window.devicePixelRatio || 1, width = document.body.clientWidth, height = TOP + lanes.length * ROW + 8;
  canvas.width = width * scale; canvas.height = height * scale; canvas.style.width = width + 'px'; canvas.style.height = height + 'px';
  paint.setTransform(scale, 0, 0, scale, 0, 0); paint.font = '11px sans-serif';
  axis(width, height);
  lanes.forEach((lane, at) => {
    const y = TOP + at * ROW;
    paint.save(); paint.beginPath(); paint.rect(LEFT, y, width - LEFT, ROW); paint.clip();
    let last = -1;
    for (let n = first(lane); n < lane.slices.length && lane.slices[n].ts <= to; n++) {
      const e = lane.slices[n], a = x(e.ts), b = Math.max(x(e.ts + e.dur), a + 0.7);
      if (b < LEFT || b - last < 0.35 && e.cname !== 'terrible') continue;   // less than there is a pixel for
      last = b;
      const inner = e.name === 'late';
      paint.fillStyle = colour(e); paint.fillRect(a, y + (inner ? 10 : 3), b - a, inner ? 6 : 13);
      if (b - a > 30 && !inner) { paint.fillStyle = '#fff'; paint.fillText(e.name, Math.max(a, LEFT) + 3, y + 13, b - Math.max(a, LEFT) - 6); }
    }
    for (const e of lane.marks) {
      if (e.ts < from || e.ts > to) continue;
      paint.fillStyle = e.cat === 'miss' || e.cat === 'eject' ? MISS : '#222';
      paint.beginPath(); paint.moveTo(x(e.ts), y + 8); paint.lineTo(x(e.ts) - 4, y); paint.lineTo(x(e.ts) + 4, y); paint.fill();
    }
    paint.restore();
    paint.fillStyle = at && lanes[at - 1].pid === lane.pid ? '#777' : '#222';
    const head = at && lanes[at - 1].pid === lane.pid ? '' : processes.get(lane.pid) + ': ';
    paint.fillText(head + (names.get(lane.pid + ' ' + lane.tid) || ''), head ? 12 : 40, y + 13, LEFT - 20);
    if (head) { paint.fillStyle = '#bbb'; paint.fillRect(0, y - 1, width, 1); }
  });
}
function found(event) {
  const box = canvas.getBoundingClientRect(), lane = lanes[Math.floor((event.clientY - box.top - TOP) / ROW)], at = event.clientX - box.left;
  if (!lane || at < LEFT) return null;
  const near = (to - from) / (canvas.clientWidth - LEFT) * 4, now = time(at);
  return lane.marks.find(e => Math.abs(e.ts - now) < near) ||
    lane.slices.slice(first(lane)).reverse().find(e => e.ts <= now && now <= e.ts + Math.max(e.dur, near / 4));
}
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const middle = time(Math.max(event.offsetX, LEFT)), factor = Math.exp(event.deltaY / 400);
  from = Math.max(low, middle - (middle - from) * factor); to = Math.min(high, middle + (to - middle) * factor);
  draw();
}, {passive: false});
canvas.addEventListener('mousedown', event => { held = {at: event.clientX, from, to}; });
window.addEventListener('mouseup', () => { held = null; });
canvas.addEventListener('dblclick', () => { from = low; to = high; draw(); });
canvas.addEventListener('mousemove', event => {
  if (held) {
    let move = (held.at - event.clientX) / (canvas.clientWidth - LEFT) * (held.to - held.from);
    move = Math.min(Math.max(move, low - held.from), high - held.to);
    from = held.from + move; to = held.to + move;
    draw();
    return;
  }
  const e = found(event);
  tip.style.display = e ? 'block' : 'none';
  if (!e) return;
  const words = Object.entries(e.args || {}).map(([key, value]) => key + ': ' + value);
  tip.textContent = [e.name, 'at ' + show(e.ts) + (e.dur === undefined ? '' : ', for ' + show(e.dur)), ...words].join('\\n');
  tip.style.left = Math.min(event.clientX + 14, window.innerWidth - 260) + 'px'; tip.style.top = event.clientY + 14 + 'px';
});
window.addEventListener('resize', draw);
draw();
</script>
</html>
'''


class Inside:
    """A file inside of a script element: nothing in it ends that."""

    def __init__(self, file):
        self.file = file

    def write(self, text):
        self.file.write(text.replace('</', '<\\/'))


def write(lines, source, path, start=None, end=None, title=None):
    """The timeline of a trace's lines; `start`, `end`: ns since its first event. Unwritable if it
    can't be written; Unreadable."""
    title = html.escape(title or source)
    try:
        with open(path, 'w', encoding='utf-8', errors='replace') as file:
            file.write(HEAD % (title, title))
            timeline.export(lines, source, Inside(file), start, end)
            file.write(TAIL)
    except OSError as error:
        raise Unwritable(error.strerror) from error
