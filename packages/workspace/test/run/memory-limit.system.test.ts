import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { preferForOomKill } from "../../src/run/memory-limit.ts";
import { until } from "../processes/support.ts";

test.skipIf(process.platform !== "linux")(
  "lets the kernel kill a command and its early and late children before the runner",
  async () => {
    const script = "sh -c 'sleep 600 & wait' & read more; sleep 600 & wait";
    const command = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
    const pid = command.pid!;
    onTestFinished(() => void process.kill(-pid, "SIGKILL"));
    const below = (one: number): number[] => {
      const children = readFileSync(`/proc/${one}/task/${one}/children`, "utf8").split(" ").filter(Boolean);
      return children.flatMap((child) => [Number(child), ...below(Number(child))]);
    };
    await until("it has started two", () => below(pid).length === 2);
    preferForOomKill(pid);
    command.stdin.end("more\n");
    await until("it has started another", () => below(pid).length === 3);
    const scores = [pid, ...below(pid)].map((one) =>
      readFileSync(`/proc/${one}/oom_score_adj`, "utf8").trim(),
    );
    expect(scores).toEqual(["1000", "1000", "1000", "1000"]);
  },
);
