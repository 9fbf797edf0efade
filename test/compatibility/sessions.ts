import { createLocalTransport, createNode, createNodes } from "@haft/nodes";
import { Type } from "@haft/plugin-sdk";
import { createHost } from "haft";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Difference } from "./difference.ts";

export const ofSessions: readonly Difference[] = [
  {
    title:
      "`sandboxed_read`, `sandboxed_write`, `sandboxed_edit`, `host_workspace_write`, `host_workspace_edit`",
    theirs: "Tools of their own; which of them a session has depends on where it works.",
    here: "Other names of `read`, `write` and `edit`, which act where the session does and are the only ones that models are shown. A name whose place is not the session's is refused.",
    why: "Models need not know where they are, and policy has one tool to speak of. What was meant for a sandbox never happens on the host.",
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
    theirs: "A tool that calls what another machine offers.",
    here: "The same, by both names, on hosts whose operator says where nodes are met (`nodes`). It is denied in every kind of session until the policy grants it, and calls of a node only what was approved.",
    why: "Where there are no nodes, a tool that reaches none would only be in the way. What another machine does is for its owner and the operator to say, not for a session.",
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
    theirs: "`write` is limited by its path.",
    here: "In a group session on the host, `write`, `edit` and `apply_patch` are denied until the policy grants them.",
    why: "Any of many senders could have a file of the owner's machine changed.",
    async shows({ callInGroup }) {
      const { code, text: said } = await callInGroup("write", { path: "group.txt", content: "x" });
      assert.equal(code, "POLICY_DENIED");
      assert.match(said, /Add "write" to sessions\.group\.grant/);
    },
  },
  {
    title: "Tools of plugins in group and sandboxed sessions",
    theirs: "They are there with the others, subject to policy.",
    here: "They are denied until the policy grants them, by name or by plugin.",
    why: "A plugin was installed for its owner, and no group or effect that it gives itself opens it to many senders.",
    async shows({ call, callInGroup }) {
      assert.equal((await call("city_pin", {})).code, "ok");
      assert.equal((await callInGroup("city_pin", {})).code, "POLICY_DENIED");
    },
  },
  {
    title: "A factory that answers `null`",
    theirs: "The tool is not there.",
    here: "It is not there, and calls, `explain` and `missing()` say which plugin withheld it.",
    why: "No tool vanishes without a reason that can be asked for.",
    async shows({ call, session }) {
      const missing = session.missing().find(({ name }) => name === "city_map");
      assert.equal(missing?.code, "TOOL_WITHHELD");
      assert.equal((await session.explain("city_map")).verdict, "absent");
      assert.equal((await call("city_map", {})).code, "TOOL_UNAVAILABLE");
    },
  },
  {
    title: "Calls that repeat themselves",
    theirs: "Messages that were sent already are found and not sent again.",
    here: "These, and any call that gives the same result over and over: first a warning, then `LOOP_REPEAT`.",
    why: "A model that reads one file for ever costs money, too.",
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
    theirs: "An answer like any other with an `error` or `status: failed` in `details`, or an exception.",
    here: "One outcome for every call, of kind `ok`, `error`, `blocked`, `pending` or `cancelled`, with a stable code and what was changed. The texts say what happened and what to do, in Haft's own words; `details` keeps the words of the descriptions (`workspace_violation`, `status`).",
    why: "What became of a call is not read out of its text.",
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
