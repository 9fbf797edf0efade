import { HaftError, type Processes, type Workspace } from "@haft/core";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import type { ExecToolInput } from "../../src/exec/exec.ts";
import { createExecTool, type ExecToolOptions } from "../../src/index.ts";
import { bench, getResultText } from "../support/bench.ts";

const { exec, process } = bench({}, {}, afterAll);

describe("lines that need bash", () => {
  test.each([
    ["cat <(echo one) <(echo two)", "one\ntwo"],
    ["echo {a,b}.txt", "a.txt b.txt"],
    ["set -o pipefail; false | true || echo failed", "failed"],
    ["shopt -s nullglob; echo none: *.gone", "none:"],
    ["(( 3 > 2 )) && echo yes", "yes"],
    ["[[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}", "b"],
    ["a=(x y z); echo ${a[1]} ${#a[@]}", "y 3"],
    ["echo $'tab\\there'", "tab\there"],
    ["read -r x <<< word; echo $x", "word"],
    ["echo -e 'one\\ntwo'", "one\ntwo"],
  ])("prints the expected text: %s", async (command, expected) => {
    const result = await exec({ command });
    expect(getResultText(result)).toBe(expected);
    expect(result.details).toMatchObject({ shell: "bash", exitCode: 0 });
  });

  test("behave the same in a pooled shell, on a terminal and in the background", async () => {
    for (let time = 0; time < 3; time++)
      expect(getResultText(await exec({ command: "echo {1..3}" }))).toBe("1 2 3");
    expect(getResultText(await exec({ command: "echo {1..3}", pty: true, yieldMs: 60_000 }))).toContain(
      "1 2 3",
    );
    const started = await exec({ command: "echo {1..3}", background: true });
    expect(started.details).toMatchObject({ status: "running", shell: "bash" });
    const { sessionId } = started.details as { sessionId: string };
    expect(getResultText(await process({ action: "poll", sessionId, timeout: 30_000 }))).toContain("1 2 3");
  });
});

test("reads no start file, with any variables of the host", async () => {
  const { exec, root } = bench({}, (folder) => ({
    environment: {
      from: {
        ...env,
        HOME: folder,
        BASH_ENV: join(folder, "planted"),
        ENV: join(folder, "planted"),
        "BASH_FUNC_true%%": "() { echo planted; }",
      },
    },
  }));
  for (const name of ["planted", ".bashrc", ".bash_profile", ".profile"])
    writeFileSync(join(root, name), "echo planted\n");
  for (const pty of [false, true]) {
    const result = await exec({
      command: "true; echo done; shopt -q login_shell && echo login",
      pty,
      yieldMs: 60_000,
    });
    expect(getResultText(result)).toContain("done");
    expect(getResultText(result)).not.toMatch(/planted|login$/m);
  }
});

test("counts the lines of the script, and shows nothing of Haft", async () => {
  for (let time = 0; time < 3; time++) {
    const result = await exec({
      command: "echo $LINENO $BASH_EXECUTION_STRING; set | grep -ci haft_; echo ok; )",
    });
    expect(getResultText(result)).not.toContain("haft_script");
    expect(getResultText(result)).toContain("line 1");
    // Time for a shell to wait for the next.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

describe("without bash", () => {
  const withoutBash = (processes: Processes, fails?: HaftError): Processes => ({
    ...processes,
    start: processes.start.bind(processes),
    read: processes.read.bind(processes),
    wait: processes.wait.bind(processes),
    info: processes.info.bind(processes),
    list: processes.list.bind(processes),
    release: processes.release.bind(processes),
    identify: async (names, where) => {
      if (fails !== undefined) throw fails;
      const found = await processes.identify(names, where);
      const files = found.files.map((file, at) => (names[at]?.name === "bash" ? undefined : file));
      return { ...found, files };
    },
  });

  const run = async (workspace: Workspace, processes: Processes, params: ExecToolInput) => {
    const context = { workspace: { ...workspace, processes }, sessionKey: "main" };
    const { signal } = new AbortController();
    return createExecTool().execute("1", params, signal, undefined, context as never);
  };

  test("uses sh, and reports this in the result, also of background commands", async () => {
    const { workspace } = bench();
    const processes = withoutBash(workspace.processes!);
    const result = await run(workspace, processes, { command: "echo $0" });
    expect(getResultText(result)).toBe("[ran in sh: bash is not available]\n\nsh");
    expect(result.details).toMatchObject({ shell: "sh" });
    const running = await run(workspace, processes, { command: "sleep 60", background: true });
    expect(getResultText(running)).toMatch(/^\[ran in sh: bash is not available\]\n\nCommand still running/);
    expect(running.details).toMatchObject({ status: "running", shell: "sh" });
  });

  test("reports that bash cannot be looked up", async () => {
    const { workspace } = bench();
    const missing = new HaftError("CAPABILITY_MISSING", "Nothing can be looked up here.", {
      category: "operational",
    });
    const result = await run(workspace, withoutBash(workspace.processes!, missing), { command: "echo $0" });
    expect(getResultText(result)).toBe("[ran in sh: bash cannot be looked up]\n\nsh");
  });

  test("fails the call after another error of the lookup, and looks up again with the next call", async () => {
    const { workspace } = bench();
    const processes = withoutBash(
      workspace.processes!,
      new HaftError("RUNNER_UNAVAILABLE", "It is away.", { category: "operational" }),
    );
    await expect(run(workspace, processes, { command: "echo $0" })).rejects.toMatchObject({
      code: "RUNNER_UNAVAILABLE",
    });
    Object.assign(processes, { identify: workspace.processes!.identify.bind(workspace.processes) });
    expect(getResultText(await run(workspace, processes, { command: "echo $0" }))).toBe("bash");
  });

  test("uses sh if the host selects it", async () => {
    const { exec } = bench({ shell: "sh" });
    const result = await exec({ command: "echo $0 {a,b}" });
    expect(getResultText(result)).toMatch(/^\S*sh \{a,b\}$/);
    expect(result.details).toMatchObject({ shell: "sh" });
  });
});

test("describes the shell correctly to the model", () => {
  const described = (options: ExecToolOptions) => {
    const { description, parameters } = createExecTool(options);
    return description + JSON.stringify(parameters);
  };
  expect(described({})).toMatch(/in bash \(sh where there is none\)/);
  expect(described({ shell: "bash" })).toBe(described({}));
  expect(described({ shell: "sh" })).not.toContain("bash");
  expect(described({ shell: "workspace" })).toBe(described({ shell: "sh" }));
});

test("plans and grants apply to one shell", async () => {
  const { workspace } = bench();
  const context = { workspace, sessionKey: "main" } as never;
  const { signal } = new AbortController();
  const planOf = async (shell: "bash" | "sh", command: string) =>
    (await createExecTool({ shell }).plan!({ command }, context, signal))!;
  const [inBash, inSh] = [await planOf("bash", "cat x"), await planOf("sh", "cat x")];
  expect(inBash.identity).not.toBe(inSh.identity);
  expect([inBash, inSh].map(({ subjects }) => subjects?.command?.shell)).toEqual(["bash", "sh"]);
  const [ofBash, ofSh] = [inBash.programs![0]!, inSh.programs![0]!];
  expect(ofBash.key).not.toBe(ofSh.key);
  expect([ofBash.summary, ofSh.summary]).toEqual([
    expect.stringMatching(/as it is now, in bash$/) as string,
    expect.stringMatching(/as it is now, in sh$/) as string,
  ]);
  const [shownInBash, shownInSh] = [inBash, inSh].map(({ preview }) => JSON.stringify(preview));
  expect(shownInBash).toContain("Shell: bash");
  expect(shownInSh).toContain("Shell: sh");
});

test("exec selects its shell, whatever the default of the workspace is", async () => {
  const { exec } = bench({}, { shell: "sh" });
  expect(getResultText(await exec({ command: "echo {a,b}" }))).toBe("a b");
});

test("uses the shell of the workspace on request, without naming it in results", async () => {
  const { exec } = bench({ shell: "workspace" }, { shell: "bash" });
  const result = await exec({ command: "echo {a,b}" });
  expect(getResultText(result)).toBe("a b");
  expect(result.details).not.toHaveProperty("shell");
});
