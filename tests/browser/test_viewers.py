#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Timelines in a real browser: what is in them is what Perfetto's viewer, and the one of
chrome://tracing, have in theirs.

Environment: VIEWERS, the folder of both; RESCH_SIM, the simulator; RESCH_BUILD, where make demo has
left its recording, if it was made; PICTURES, a folder for what was seen.
"""

import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tests/browser', TOP + '/tests/checker', TOP + '/tests/kernelshark']

import chromium  # noqa: E402
import schedules  # noqa: E402
from traceevent_format import Document, ns  # noqa: E402

EXPORT = TOP + '/tools/trace/resch-export'
DEMO = os.environ.get('RESCH_BUILD', '') + '/demo/trace.dat'
# rows(sql): of the engine that Perfetto's viewer asks itself
ROWS = '''
const answer = await app.trace.engine.query(arguments[0]), columns = answer.columns(), rows = [];
const plain = (value) => typeof value === 'bigint' ? Number(value) : value;
for (const row = answer.iter({}); row.valid(); row.next())
    rows.push(columns.map((column) => plain(row.get(column))));
return rows;
'''
# The viewer of chrome://tracing: its own importer, and what that complains of
IMPORT = '''
const model = new tr.Model();
new tr.importer.Import(model, new tr.importer.ImportOptions()).importTraces([arguments[0]]);
const rows = [];
for (const process of Object.values(model.processes))
    for (const thread of Object.values(process.threads))
        for (const slice of thread.sliceGroup.slices)
            rows.push([process.name, thread.name, slice.start, slice.duration, slice.title]);
return {warnings: model.importWarnings.map((warning) => warning.type + ': ' + warning.message),
        rows, flows: model.flowEvents.length};
'''


def slices(document):
    """[(process, row, start, duration, name)] of all that take time."""
    return sorted((document.processes[row[0]], document.rows[row], start, end - start, name)
                  for row, items in document.slices.items()
                  for start, end, name, _ in items if end > start)


class Viewers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.traces = {name: schedules.Schedule(folder.name, name).path + '.txt'
                      for name in schedules.SETS}
        if os.path.exists(DEMO):
            cls.traces['demo'] = DEMO
        cls.address = cls.enterClassContext(chromium.Files(os.environ['VIEWERS']))
        cls.browser = cls.enterClassContext(chromium.Chromium())
        cls.version, = [name for name in os.listdir(os.environ['VIEWERS']) if name[:1] == 'v' and
                        name[1:2].isdigit()]

    def timelines(self):
        """(name, path, Document) of each trace."""
        for name, trace in self.traces.items():
            path = f'{self.folder}/{name}.json'
            subprocess.run([EXPORT, '-o', path, trace], check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding='utf-8') as file:
                document = Document(file.read())
            self.assertEqual(document.problems, [], name)
            yield name, path, document

    def picture(self, name):
        if os.environ.get('PICTURES'):
            self.browser.picture(f'{os.environ["PICTURES"]}/{name}.png')

    def rows(self, query):
        return self.browser.ask(ROWS, query)

    def loaded(self):
        """Once Perfetto's viewer has all of it."""
        self.browser.until('return Boolean(window.app && app.trace && app.trace.engine)')
        self.browser.ask('await waitForPerfettoIdle()')

    def choose(self, path):
        """A file in Perfetto's viewer."""
        self.browser.go('about:blank')
        # with a page that it is to show it does not look for a recording by itself
        self.browser.go(self.address + '/index.html#!/viewer')
        self.browser.until('return Boolean(window.app && '
                           'document.querySelector("input.trace_file"))')
        self.browser.choose_file('input.trace_file', path)
        self.loaded()

    def same_in_perfetto(self, document):
        self.assertEqual(self.rows('select name, severity, value from stats where value > 0 and '
                                   'severity in ("error", "data_loss")'), [])
        found = self.rows('select process.name, thread.name, slice.ts, slice.dur, slice.name from '
                          'slice join thread_track on slice.track_id = thread_track.id join thread '
                          'using (utid) join process using (upid) where slice.dur > 0')
        self.assertEqual(sorted(tuple(row) for row in found), slices(document))
        events = document.events
        marks = sum(event['ph'] == 'i' for event in events) + sum(
            event['ph'] == 'X' and not ns(event['dur']) for event in events)
        self.assertEqual(self.rows('select count(*) from slice where dur = 0'), [[marks]])
        self.assertEqual(self.rows('select count(*) from flow'),
                         [[sum(len(points) - 1 for points in document.flows.values())]])
        self.assertEqual(self.rows('select count(*) from counter'),
                         [[sum(len(event['args']) for event in events if event['ph'] == 'C')]])
        # Beside each is its unit, to the letter.
        found = self.rows('select distinct process.name, process_counter_track.name from '
                          'process_counter_track join process using (upid)')
        self.assertEqual({tuple(row) for row in found},
                         {(document.processes[event['pid']], f'{event["name"]} {unit}')
                          for event in events if event['ph'] == 'C' for unit in event['args']})

    def test_perfetto(self):
        for name, path, document in self.timelines():
            with self.subTest(name=name):
                self.choose(path)
                self.picture(name)
                self.same_in_perfetto(document)

    def test_chrome_tracing(self):
        for name, path, document in self.timelines():
            with self.subTest(name=name):
                self.same_in_tracing(path, document)

    def same_in_tracing(self, path, document):
        self.browser.go(f'{self.address}/{self.version}/assets/catapult_trace_viewer.html')
        self.browser.until('return typeof tr !== "undefined" && Boolean(tr.importer)')
        with open(path, encoding='utf-8') as file:
            found = self.browser.ask(IMPORT, file.read())
        self.assertEqual(found['warnings'], [])
        # its times are ms
        self.assertEqual(sorted((process, row, round(start * 1e6), round(long * 1e6), name)
                                for process, row, start, long, name in found['rows'] if long),
                         slices(document))
        self.assertEqual(found['flows'],
                         sum(len(points) - 1 for points in document.flows.values()))

    def test_command(self):
        """`make timeline`: the viewer fetches it."""
        trace = self.traces.get('demo', self.traces['swap'])
        build = self.folder + '/build'
        # as a browser that is told what to open
        environment = {**os.environ, 'RESCH_BUILD': build, 'BROWSER': 'true %s'}
        with subprocess.Popen(['make', '-s', '-C', TOP, 'timeline', 'TRACE=' + trace,
                               'VIEWER=' + self.address], env=environment,
                              stdout=subprocess.PIPE, text=True) as command:
            address = next(line.split()[1] for line in command.stdout
                           if line.startswith('opening '))
            self.browser.go('about:blank')
            self.browser.go(address)
            self.loaded()
            self.assertEqual(command.wait(chromium.LONG), 0)
        with open(build + '/timeline.json', encoding='utf-8') as file:
            self.same_in_perfetto(Document(file.read()))
        self.look_at_swap()

    def look_at_swap(self):
        """The picture of docs/tracing.md: all rows, around the first swap."""
        at, = self.rows('select max(ts) from slice where name = "edf -> fp"')[0]
        self.choose(self.folder + '/build/timeline.json')
        self.browser.ask("""
            app.sidebar.toggleVisibility();
            app.commands.runCommand('dev.perfetto.ExpandAllGroups');
            app.trace.timeline.setViewportTime(BigInt(arguments[0]), BigInt(arguments[1]));
            await waitForPerfettoIdle()""", max(at - 35000000, 0), at + 40000000)
        self.picture('timeline')


if __name__ == '__main__':
    unittest.main(verbosity=2)
