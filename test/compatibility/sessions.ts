import { createLocalTransport, createNode, createNodes } from "@haft/nodes";
import { definePlugin, Type } from "@haft/plugin-sdk";
import { createHost } from "haft";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Difference } from "./difference.ts";

export const ofSessions: readonly Difference[] = [
  {
    title:
      "`sandboxed_read`, `sandboxed_write`, `sandboxed_edit`, `host_workspace_write`, `host_workspace_edit`",
    theirs: "They are separate tools. The workspace of a session decides which of them it has.",
    here: "They are other names of `read`, `write` and `edit`, which act in the session's workspace. Models see only these three. A name for another kind of workspace is rejected.",
    why: "Models need not know the workspace, and policies have one tool. A call for a sandbox never acts on the host.",
    async shows({ call, cwd, session }) {
      await writeFile(join(cwd, "place.txt"), "here\n");
      const ok = await call("host_workspace_write", { path: "hosted.txt", content: "x" });
      assert.deepEqual([ok.code, ok.outcome.toolName], ["ok", "write"]);
      assert.equal((await call("sandboxed_read", { path: "place.txt" })).code, "WRONG_PLACE");
      assert.ok(!session.tools().some(({ name }) => /sandboxed|host_workspace/.test(name)));
    },
  },
  {
    title: "`node_invoke`",
    theirs: "A tool that calls commands of another machine.",
    here: "The same, under both names, on hosts whose operator configures `nodes`. It is denied in every session until the policy grants it. A call runs only approved commands of a node.",
    why: "Without nodes, the tool would be useless. The owner of the other machine and the operator decide, not the session.",
    async shows({ call, cwd }) {
      for (const name of ["node_invoke", "node-invoke"])
        assert.equal((await call(name, {})).code, "UNKNOWN_TOOL");
      const say = { parameters: Type.Object({}), effects: ["read" as const] };
      const run = () => ({ content: [{ type: "text" as const, text: "here" }], details: {} });
      const commands = ["say.here", "say.more"].map((name) => ({
        ...say,
        name,
        description: "Speaks.",
        run,
      }));
      const nodes = createNodes({
        transport: createLocalTransport([createNode({ id: "n1", name: "barn", commands })]),
      });
      await nodes.approve("n1", { commands: ["say.here"] });
      const outcomes: string[] = [];
      for (const grant of [[], ["node_invoke"]]) {
        const host = await createHost({
          workspaceDir: cwd,
          stateDir: false,
          administratorPolicy: false,
          nodes,
          policy: { grant },
        });
        const session = await host.openSession();
        for (const command of ["say.here", "say.more"]) {
          const outcome = await session.call({ name: "node-invoke", arguments: { node: "barn", command } });
          outcomes.push(outcome.kind === "ok" ? "ok" : outcome.code);
        }
        await host.close();
      }
      await nodes.close();
      assert.deepEqual(outcomes, ["POLICY_DENIED", "POLICY_DENIED", "ok", "NODE_NOT_APPROVED"]);
    },
  },
  {
    title: "Changes in group sessions",
    theirs: "`write` is limited to its paths.",
    here: "In a group session on the host, `write`, `edit` and `apply_patch` are denied until the policy grants them.",
    why: "Any of many senders could change a file on the owner's machine.",
    async shows({ callInGroup }) {
      const { code, text: said } = await callInGroup("write", { path: "group.txt", content: "x" });
      assert.equal(code, "POLICY_DENIED");
      assert.match(said, /Add "write" to sessions\.group\.grant/);
    },
  },
  {
    title: "Tools of plugins in group and sandboxed sessions",
    theirs: "They are available like all others, subject to the policy.",
    here: "They are denied until the policy grants them, by name or by plugin.",
    why: "The owner installed the plugin for their own use. Groups or effects that it declares do not open it to other senders.",
    async shows({ call, callInGroup }) {
      assert.equal((await call("city_pin", {})).code, "ok");
      assert.equal((await callInGroup("city_pin", {})).code, "POLICY_DENIED");
    },
  },
  {
    title: "A factory that returns `null`",
    theirs: "The tool is absent.",
    here: "The tool is absent. Calls, `explain` and `missing()` name the plugin that withheld it.",
    why: "There is a reason for each absent tool, and users can read it.",
    async shows({ call, session }) {
      const missing = session.missing().find(({ name }) => name === "city_map");
      assert.equal(missing?.code, "TOOL_WITHHELD");
      assert.equal((await session.explain("city_map")).verdict, "absent");
      assert.equal((await call("city_map", {})).code, "TOOL_UNAVAILABLE");
    },
  },
  {
    title: "The sender of a message, for a factory",
    theirs: "A factory of OpenClaw gets the sender.",
    here: "A factory gets the session only. `execute` finds the sender of each call in `context.sender`, and rules can name senders.",
    why: "Several people write in one session, and its tools are made once for all of them.",
    async shows({ cwd }) {
      const contexts: object[] = [];
      const record = (context: object): null => {
        contexts.push(context);
        return null;
      };
      const open = async (kind: "main" | "group") => {
        const watcher = definePlugin({
          id: "watcher",
          tools: [{ names: ["watch"], factory: record }],
        });
        const other = await createHost({ workspaceDir: cwd, stateDir: false, plugins: [watcher] });
        const session = await other.openSession({ kind });
        session.tools();
        await other.close();
      };
      await open("main");
      await open("group");
      assert.equal(contexts.length, 2);
      for (const context of contexts) assert.equal("sender" in context, false);
    },
  },
  {
    title: "Repeated calls",
    theirs: "A message that was already sent is not sent again.",
    here: "The same, and any call with the same result again and again: first a warning, then `LOOP_REPEAT`.",
    why: "A model that reads the same file without end costs money.",
    async shows({ host, cwd }) {
      await writeFile(join(cwd, "loop.txt"), "same\n");
      const session = await host.openSession({ kind: "main" });
      const codes = new Set<string>();
      for (let times = 0; times < 40 && !codes.has("LOOP_REPEAT"); times++) {
        const outcome = await session.call({ name: "read", arguments: { path: "loop.txt" } });
        codes.add(outcome.kind === "ok" ? "ok" : outcome.code);
      }
      assert.deepEqual([...codes], ["ok", "LOOP_REPEAT"]);
      await session.close();
    },
  },
  {
    title: "Failures",
    theirs: "A result like any other, with an `error` or `status: failed` in `details`, or an exception.",
    here: "Every call has one outcome of kind `ok`, `error`, `blocked`, `pending` or `cancelled`, with a stable code and a receipt. The texts name the problem and the next step; `details` has the words of the descriptions (`workspace_violation`, `status`).",
    why: "Programs read the outcome from fields, not from its text.",
    async shows({ call }) {
      const missing = await call("read", { path: "no-such-file.txt" });
      assert.deepEqual(
        [missing.outcome.kind, missing.code, missing.outcome.receipt],
        ["error", "FILE_NOT_FOUND", "none"],
      );
      const {
        code,
        text: said,
        outcome,
      } = await call("apply_patch", {
        input: "*** Begin Patch\n*** End Patch",
      });
      assert.deepEqual([code, outcome.kind], ["PATCH_INVALID", "error"]);
      assert.match(said, /No files were modified\.\nBegin each section with/);
    },
  },
];
