# SPDX-License-Identifier: GPL-2.0
"""Reading, checking and drawing recorded schedules.

cli     what all programs do alike
read    text or trace.dat -> events
events  ... kept as rows of numbers
replay  events -> model
model   tasks, jobs, and who was ready, selected and running when
plan    time slots, and the parts of them that belong to groups
policy  what each plugin promises about the order of jobs
rules   model -> what was broken, where, by how much
choice  ... who is selected among those who are ready
jobs    ... releases, deadlines, misses, budgets
running ... what the kernel made of it
sweep   ... going through spans of time
groups  ... where a plugin keeps to a plan: reserves, notional processors
slots   ... the edges of reserves
servers ... budgets of servers, and the order among them
budgets ... what each kind of server does with them
works   ... who works for whom, and at whose expense
chains  ... the stages of chains, and what they hand on
measure how much later than in theory things happen, and what interrupts take
interrupts  ... those, from the lines of a recording
figures averages, maxima, percentiles, and what the paper has
jitter  ... in short, for resch-check
sets    several traces together, and JSON
tables  ... as text
report  words, tables and JSON
draw    model -> a picture; this one and the next two need python3-matplotlib
layout  a layout of time slots -> a picture
distribution  how jitter is distributed -> a picture

Nothing here is shared with the module, the plugins or the simulator: what they have in common is
the text of the trace events alone.
"""
