import { describe, expect, it, onTestFinished } from "vitest";
import { EACH_SHELL, hasShell, openShell } from "./shells.ts";

describe.each(EACH_SHELL.filter(hasShell))("a shell runner in %s", (shell) => {
  it.each(["a caller waits for a command", "it receives a request"])(
    "is given up soon if it is halted while %s",
    async (when) => {
      const { runner, root, pid, stream } = await openShell(shell, { silentMs: 400 });
      onTestFinished(() => {
        process.kill(pid, "SIGKILL");
        stream.destroy();
      });
      const { id } = await runner.processes.start("long", { script: "sleep 10", cwd: root, env: runner.env });
      const isWaiting = when === "a caller waits for a command";
      const waiting = isWaiting ? runner.processes.wait(id) : undefined;
      waiting?.catch(() => {});
      process.kill(pid, "SIGSTOP");
      const asked = isWaiting ? undefined : runner.fs.write("a", Buffer.from("x"));
      asked?.catch(() => {});
      expect(await runner.ended).toBe("it was silent for 400 ms");
      await expect(asked ?? waiting).rejects.toMatchObject({
        code: isWaiting ? expect.stringMatching(/^RUNNER_|^SANDBOX_/) : "SANDBOX_LOST",
      });
    },
  );
});

// busybox brings its tools along, so that none of them can be made slow.
it.runIf(hasShell("dash"))("is not given up during one long operation", async () => {
  const dd = 'sleep 1.2; PATH=${PATH#*:}; exec dd "$@"';
  const { runner, close } = await openShell("dash", { silentMs: 800, tools: { dd } });
  onTestFinished(close);
  await runner.fs.write("a", Buffer.from("text"));
  expect(Buffer.from((await runner.fs.read("a")).bytes).toString()).toBe("text");
});
