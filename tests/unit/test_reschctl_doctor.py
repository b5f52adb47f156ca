#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl doctor: this machine, and ones made of files.

usage: RESCHCTL=PATH test_reschctl_doctor.py
"""

import json
import os
import tempfile
import unittest

from reschctl import call


class Doctor(unittest.TestCase):
    """doctor on this machine, and on made-up ones."""

    def examine(self, *arguments):
        result = call("doctor", "--json", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["failures"] > 0, result.returncode == 1)
        for finding in report["findings"]:
            self.assertEqual(sorted(finding), ["check", "fix", "found", "meaning", "status"])
            self.assertIn(finding["status"], ("ok", "warn", "fail"))
            self.assertTrue(finding["found"])
        counted = [f["status"] for f in report["findings"]]
        self.assertEqual(counted.count("warn"), report["warnings"])
        self.assertEqual(counted.count("fail"), report["failures"])
        return {finding["check"]: finding for finding in report["findings"]}

    def test_here(self):
        findings = self.examine()
        self.assertIn(os.uname().release, findings["kernel"]["found"])
        text = call("doctor", "--cpus=0")
        self.assertIn(text.returncode, (0, 1))
        self.assertIn("looking at CPUs 0\n", text.stdout)
        self.assertNotIn("\033", text.stdout)
        for line in text.stdout.splitlines():
            self.assertEqual(line, line.rstrip())

    def test_bad_arguments(self):
        self.assertEqual(call("doctor", "--cpus=x").returncode, 2)
        self.assertEqual(call("doctor", "--root=/nonexistent").returncode, 1)

    @staticmethod
    def base():
        return {
            "proc/sys/kernel/osrelease": "6.1.0-56-amd64\n",
            "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2\n",
            "proc/cmdline": "root=/dev/vda1 quiet\n",
            "boot/config-6.1.0-56-amd64": "CONFIG_SMP=y\nCONFIG_MODULES=y\nCONFIG_IRQ_WORK=y\n"
                                          "CONFIG_HIGH_RES_TIMERS=y\nCONFIG_TRACEPOINTS=y\n"
                                          "CONFIG_PREEMPT_NOTIFIERS=y\n"
                                          "CONFIG_NO_HZ_FULL=y\nCONFIG_RCU_NOCB_CPU=y\n"
                                          "CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT_VOLUNTARY=y\n"
                                          "# CONFIG_RT_GROUP_SCHED is not set\n",
            "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
            "proc/sys/kernel/sched_rt_period_us": "1000000\n",
            "proc/sys/kernel/tainted": "12288\n",
            "sys/devices/system/cpu/online": "0-3\n",
        }

    def machine(self, files):
        """A root with these files; gone with the test."""
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        base = self.base()
        base.update(files)
        for name, text in base.items():
            if text is None:
                continue
            path = os.path.join(root.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        return "--root=" + root.name

    def test_debian_6_1(self):
        found = self.examine(self.machine({}))
        self.assertEqual(found["kernel"]["status"], "ok")
        self.assertEqual(found["config"]["status"], "ok")
        self.assertEqual(found["preemption"]["status"], "warn")
        self.assertIn("voluntary", found["preemption"]["found"])
        self.assertIn("preempt=full", found["preemption"]["fix"])
        self.assertEqual(found["rt-throttling"]["status"], "warn")
        self.assertIn("sched_rt_runtime_us=-1", found["rt-throttling"]["fix"])
        self.assertNotIn("fair-server", found)
        self.assertEqual(found["taint"]["status"], "ok")
        self.assertEqual(found["module"]["status"], "warn")

    def test_preemption(self):
        debug = "sys/kernel/debug/sched/preempt"
        found = self.examine(self.machine({debug: "none voluntary (full)\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({debug: "full (lazy)\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({debug: "(none) voluntary full\n"}))
        self.assertEqual(found["preemption"]["status"], "warn")
        found = self.examine(self.machine({"proc/cmdline": "preempt=none quiet preempt=full\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({"proc/sys/kernel/version": "#1 SMP PREEMPT_RT x\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        self.assertIn("PREEMPT_RT", found["kernel"]["found"])

    def test_rcu_on_preempt_rt(self):
        rt = {"proc/sys/kernel/version": "#1 SMP PREEMPT_RT x\n"}
        name = "sys/module/rcutree/parameters/kthread_prio"
        for priority, status in (("1", "warn"), ("80", "warn"), ("81", "ok")):
            found = self.examine(self.machine({**rt, name: priority + "\n"}))
            self.assertEqual(found["rcu"]["status"], status, priority)
        self.assertNotIn("rcu", self.examine(self.machine({name: "1\n"})))

    def test_kernels_that_are_not_tested(self):
        """Older, in between, newer, and of a series that only begins like a tested one."""
        config = self.base()["boot/config-6.1.0-56-amd64"]
        for release in ("5.10.0-30-amd64", "6.8.0-45-generic", "6.18.44-amd64", "7.4.1-amd64",
                        "6.120.1", "6.10.1"):
            found = self.examine(self.machine({"proc/sys/kernel/osrelease": release + "\n",
                                               "boot/config-" + release: config}))
            self.assertEqual(found["kernel"]["status"], "warn", release)
            self.assertIn(release, found["kernel"]["found"])
            self.assertIn("not tested", found["kernel"]["found"])
            # What it has decides.
            self.assertEqual(found["config"]["status"], "ok", release)
        for release in ("6.1.0-56-amd64", "6.1.0-56-rt-amd64", "6.12.117+deb13-amd64",
                        "7.2.13+deb14-rt-amd64", "7.3.4+deb13-amd64"):
            found = self.examine(self.machine({"proc/sys/kernel/osrelease": release + "\n"}))
            self.assertEqual(found["kernel"]["status"], "ok", release)

    def test_each_need_is_named(self):
        """The same list as the build's and DKMS's; each option alone is missed."""
        with open(os.path.join(os.path.dirname(__file__), "../../module/needs"),
                  encoding="utf-8") as file:
            needs = [line.split()[0] for line in file if line.startswith("CONFIG_")]
        self.assertIn("CONFIG_PREEMPT_NOTIFIERS", needs)
        name = "boot/config-6.1.0-56-amd64"
        for need in needs:
            config = self.base()[name].replace(need + "=y\n", "")
            found = self.examine(self.machine({name: config}))["config"]
            self.assertEqual(found["status"], "fail", need)
            self.assertIn(f"the kernel lacks {need} (", found["found"])

    def test_config_lacks(self):
        root = self.machine({"boot/config-6.1.0-56-amd64": "CONFIG_SMP=y\n# CONFIG_TRACEPOINTS is "
                                                           "not set\nCONFIG_RT_GROUP_SCHED=y\n"})
        found = self.examine(root)
        self.assertEqual(found["config"]["status"], "fail")
        self.assertIn("CONFIG_TRACEPOINTS", found["config"]["found"])
        self.assertEqual(found["rt-group"]["status"], "warn")

    def test_throttling(self):
        name = "proc/sys/kernel/sched_rt_runtime_us"
        for value, status in (("-1", "ok"), ("1000000", "ok"), ("0", "fail"), ("500000", "warn")):
            found = self.examine(self.machine({name: value + "\n"}))
            self.assertEqual(found["rt-throttling"]["status"], status, value)

    def test_fair_server(self):
        """From 6.12 on the sysctl is no news, the server is."""
        new = {"proc/sys/kernel/osrelease": "6.12.117+deb13-amd64\n"}
        found = self.examine(self.machine(new))
        self.assertEqual(found["rt-throttling"]["status"], "ok")
        self.assertEqual(found["fair-server"]["status"], "warn")
        for cpu in range(4):
            new[f"sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime"] = "50000000\n"
        found = self.examine(self.machine(new))
        self.assertIn("50ms", found["fair-server"]["found"])
        self.assertIn("0-3", found["fair-server"]["found"])
        found = self.examine(self.machine(new), "--cpus=2")
        self.assertIn("CPUs 2", found["fair-server"]["found"])
        new["sys/kernel/debug/sched/fair_server/cpu2/runtime"] = "0\n"
        found = self.examine(self.machine(new), "--cpus=2")
        self.assertEqual(found["fair-server"]["status"], "ok")

    def test_task_work(self):
        symvers = "lib/modules/6.1.0-56-amd64/build/Module.symvers"
        found = self.examine(self.machine({
            symvers: "0x1\tother\tvmlinux\tEXPORT_SYMBOL\t\n"
                     "0x2\ttask_work_add\tvmlinux\tEXPORT_SYMBOL_GPL\t\n"}))
        self.assertEqual(found["stopping"]["status"], "ok")
        found = self.examine(self.machine({symvers: "0x1\tother\tvmlinux\tEXPORT_SYMBOL\t\n"}))
        self.assertEqual(found["stopping"]["status"], "warn")
        self.assertIn("does not export", found["stopping"]["found"])
        found = self.examine(self.machine({"proc/kallsyms": "0 r __ksymtab_task_work_add\n"}))
        self.assertEqual(found["stopping"]["status"], "ok")
        found = self.examine(self.machine({"proc/kallsyms": "0 T task_work_add\n"}))
        self.assertIn("not to be found out", found["stopping"]["found"])

    def test_secure_boot(self):
        locked = {"sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}
        self.assertEqual(self.examine(self.machine(locked))["signing"]["status"], "fail")
        locked["var/lib/dkms/mok.pub"] = "key"
        found = self.examine(self.machine(locked))["signing"]
        self.assertEqual(found["status"], "warn")
        self.assertIn("mokutil --import", found["fix"])
        self.assertNotIn("--trust-mok", found["fix"])
        locked["proc/sys/kernel/osrelease"] = "7.2.13+deb14-amd64\n"
        found = self.examine(self.machine(locked))
        self.assertIn("--trust-mok", found["signing"]["fix"])
        locked["sys/firmware/efi/efivars/MokListTrustedRT-605dab50-e046-4300-abb6-3dd810dd8b23"] = \
            b"\7\0\0\0\1"
        self.assertNotIn("--trust-mok", self.examine(self.machine(locked))["signing"]["fix"])

    def test_taint(self):
        for taint, status in (("0", "ok"), ("4096", "ok"), ("2", "fail"), ("128", "fail")):
            root = self.machine({"proc/sys/kernel/tainted": taint + "\n"})
            self.assertEqual(self.examine(root)["taint"]["status"], status, taint)

    def test_cpus(self):
        cpu = "sys/devices/system/cpu/"
        files = {
            cpu + "smt/active": "1\n",
            cpu + "cpu1/cpufreq/scaling_governor": "schedutil\n",
            cpu + "cpu1/cpuidle/state0/latency": "0\n",
            cpu + "cpu1/cpuidle/state0/disable": "0\n",
            cpu + "cpu1/cpuidle/state0/name": "POLL\n",
            cpu + "cpu1/cpuidle/state1/latency": "133\n",
            cpu + "cpu1/cpuidle/state1/disable": "0\n",
            cpu + "cpu1/cpuidle/state1/name": "C6\n",
            "proc/irq/0/smp_affinity_list": "0-3\n",
            "proc/irq/1/effective_affinity_list": "1\n",
            "proc/irq/2/effective_affinity_list": "0\n",
            "proc/cpuinfo": "flags\t\t: fpu vme hypervisor\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
            "sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm\n",
        }
        found = self.examine(self.machine(files), "--cpus=1")
        for check in ("smt", "frequency", "idle", "interrupts", "isolation", "hypervisor", "clock"):
            self.assertEqual(found[check]["status"], "warn", check)
        self.assertIn("schedutil", found["frequency"]["found"])
        self.assertIn("133 us", found["idle"]["found"])
        self.assertTrue(found["interrupts"]["found"].startswith("2 interrupts"))
        self.assertIn("0,2-3", found["interrupts"]["fix"])
        self.assertTrue(found["isolation"]["fix"].startswith(
            "isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 on the kernel's command line"))
        self.assertIn("reschctl shield 1", found["isolation"]["fix"])
        # what is there already stays; what the kernel cannot do is not asked for
        grub = dict(files, **{
            "etc/default/grub": "",
            "proc/cmdline": "quiet isolcpus=domain,3 nohz_full=2-3 rcu_nocbs=1\n",
            cpu + "isolated": "3\n", cpu + "nohz_full": "2-3\n",
        })
        found = self.examine(self.machine(grub), "--cpus=1")
        self.assertTrue(found["isolation"]["fix"].startswith(
            "isolcpus=managed_irq,domain,1,3 nohz_full=1-3 in GRUB_CMDLINE_LINUX"))
        config = "boot/config-6.1.0-56-amd64"
        grub[config] = "CONFIG_SMP=y\n# CONFIG_NO_HZ_FULL is not set\n"
        found = self.examine(self.machine(grub), "--cpus=1")
        self.assertNotIn("nohz_full=", found["isolation"]["fix"])

        files.update({
            cpu + "smt/active": "0\n",
            cpu + "cpu1/cpufreq/scaling_governor": "performance\n",
            cpu + "cpu1/cpuidle/state1/disable": "1\n",
            cpu + "isolated": "1-2\n",
            cpu + "nohz_full": "1-2\n",
            "proc/irq/0/smp_affinity_list": "0\n",
            "proc/irq/1/effective_affinity_list": "0\n",
            "proc/cpuinfo": "flags\t\t: fpu vme\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        })
        found = self.examine(self.machine(files), "--cpus=1")
        for check in ("smt", "frequency", "idle", "interrupts", "hypervisor", "clock"):
            self.assertEqual(found[check]["status"], "ok", check)
        # managed interrupts come by none of these two
        self.assertEqual(found["isolation"]["status"], "warn")
        self.assertIn("managed interrupts here", found["isolation"]["found"])
        self.assertTrue(found["isolation"]["fix"].startswith("isolcpus=managed_irq,domain,1 "))
        files["proc/cmdline"] = "quiet isolcpus=managed_irq,domain,1-2 nohz_full=1-2\n"
        found = self.examine(self.machine(files), "--cpus=1")
        self.assertEqual(found["isolation"]["status"], "ok")
        # a cpuset that is an isolated partition
        files.update({cpu + "isolated": "\n", "sys/fs/cgroup/cpuset.cpus.isolated": "1\n"})
        found = self.examine(self.machine(files), "--cpus=1")
        self.assertEqual(found["isolation"]["status"], "ok")
        files["sys/fs/cgroup/cpuset.cpus.isolated"] = "2\n"
        found = self.examine(self.machine(files), "--cpus=1")
        self.assertIn("isolated 2,", found["isolation"]["found"])

    def test_memory(self):
        found = self.examine(self.machine({
            "proc/swaps": "Filename\tType\tSize\n/dev/vda2\tpartition\t1\n",
            "proc/sys/kernel/numa_balancing": "1\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
            "sys/kernel/mm/ksm/run": "1\n",
        }))
        for check in ("swap", "numa", "hugepages", "ksm"):
            self.assertEqual(found[check]["status"], "warn", check)
        found = self.examine(self.machine({"proc/swaps": "Filename\tType\tSize\n"}))
        self.assertEqual(found["swap"]["status"], "ok")

    def test_nonsense(self):
        """Files that are empty, cut or not what they should be."""
        names = ["proc/sys/kernel/osrelease", "proc/sys/kernel/version", "proc/cmdline",
                 "proc/sys/kernel/tainted", "proc/sys/kernel/sched_rt_runtime_us",
                 "proc/sys/kernel/sched_rt_period_us", "sys/devices/system/cpu/online",
                 "sys/kernel/debug/sched/preempt", "boot/config-6.1.0-56-amd64", "proc/swaps",
                 "sys/kernel/security/lockdown", "proc/cpuinfo", "proc/irq/5/smp_affinity_list",
                 "sys/devices/system/cpu/isolated", "sys/devices/system/cpu/nohz_full"]
        for text in (b"", b"\n", b"\xff\xfe\x00", b"(", b")(", b"-", b"9" * 5000, b" " * 300):
            for name in names:
                self.examine(self.machine({name: text}), "--cpus=1")


if __name__ == "__main__":
    unittest.main()
