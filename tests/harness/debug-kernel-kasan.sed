# KASAN remembers who asked for a task's work, and allocates memory for that: PREEMPT_RT does not
# under a raw spinlock, under which the work is asked for. Since 6.14 it allocates nothing there.
s/\bkasan_record_aux_stack(work)/kasan_record_aux_stack_noalloc(work)/
