# SPDX-License-Identifier: GPL-2.0
"""Reading, checking and drawing recorded schedules.

read    text or trace.dat -> events
replay  events -> model
model   tasks, jobs, and who was ready, selected and running when
plan    time slots, and the parts of them that belong to groups
policy  what each plugin promises about the order of jobs
rules   model -> what was broken, where, by how much
sweep   ... going through spans of time
groups  ... where a plugin keeps to a plan: reserves, notional processors
slots   ... the edges of reserves
jitter  how much later than in theory things happen
report  words, tables and JSON
draw    model -> a picture (the only part that needs python3-matplotlib)

Nothing here is shared with the module, the plugins or the simulator: what they have in common is
the text of the trace events alone.
"""
