import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { expect, onTestFinished } from "vitest";
import { signalRunners } from "../../../../test/support/end-runner.ts";
import { openView } from "../../src/view/open-view.ts";
import { attempts } from "../escapes/attempts.ts";
import { tempFolder } from "../support.ts";
import { openTestView, runIn, createViewSpec, testContained } from "./support.ts";

testContained(
  "ends the view with an error if the runner is silent, and recovers with the next call",
  async () => {
    const [root, stateFolder] = [tempFolder("view"), tempFolder("runs")];
    const view = openView(createViewSpec({ writable: [root] }));
    const processes = createHostProcesses({
      workspace: createHostWorkspace({ root }),
      view: { ...view.launch, answerMs: 1000 },
      stateFolder,
    });
    onTestFinished(async () => {
      await processes.close({ graceMs: 0 });
      await view.close();
    });
    expect((await runIn(processes, "echo before")).output).toBe("before\n");
    const { id } = await processes.start("left", { script: "sleep 600" });
    signalRunners("SIGSTOP");
    await expect(processes.start("hangs", { script: "echo hangs" })).rejects.toMatchObject({
      code: "RUNNER_LOST",
      message: expect.stringContaining("not answered"),
    });
    expect(await processes.info(id)).toMatchObject({ state: "lost" });
    expect((await runIn(processes, "echo after")).output).toBe("after\n");
  },
);

testContained("closes memory, environment and open files of the runner and its threads", async () => {
  const { run } = await openTestView();
  const { script } = attempts.find(({ name }) => name === "runner-memory")!;
  expect((await run(script)).output).toMatch(/^KEPT/m);
  const threads = `for f in /proc/2/task/*/mem /proc/2/task/*/environ; do { command : <"$f"; } 2>/dev/null && echo "opened $f"; done; ls -d /proc/2/task/*`;
  const { output } = await run(threads);
  expect(output).not.toContain("opened");
  expect(output.split("\n").length).toBeGreaterThan(3);
});

testContained("refuses signals to the runner by task, group and file", async () => {
  const { run } = await openTestView();
  const { script } = attempts.find(({ name }) => name === "runner-signals")!;
  expect((await run(script)).output).toMatch(/^KEPT/m);
  const { output } = await run(`cat >stop.py <<'END'
import fcntl, os, signal, socket
def refused(what, *args):
    try:
        what(*args); print("done", what.__name__, args)
    except OSError: pass
for task in os.listdir("/proc/2/task"):
    refused(os.kill, int(task), signal.SIGSTOP)
    if hasattr(signal, "pidfd_send_signal"):
        refused(signal.pidfd_send_signal, os.open(f"/proc/{task}", os.O_RDONLY), signal.SIGSTOP)
refused(os.kill, -1, signal.SIGSTOP)
refused(os.kill, -2, signal.SIGSTOP)
here, there = socket.socketpair()
refused(fcntl.fcntl, here, 10, signal.SIGSTOP)
# The signal that such a file has by itself.
fcntl.fcntl(here, fcntl.F_SETOWN, 2)
fcntl.fcntl(here, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
there.send(b"x")
print("tried", len(os.listdir("/proc/2/task")) > 4)
END
python3 stop.py; sleep 600 & kill $! && wait $!; echo $?`);
  // The shell reports the end of its child on standard error, in any order.
  expect(output).toMatch(/^tried True\n(?:(?:Terminated\n)?143\n|143\nTerminated\n)$/);
  expect((await run("echo still there")).output).toBe("still there\n");
});
