import { agents } from "@haft/guard";
import { resolve } from "node:path";
import { answerHook } from "../../guard/hook/answer-hook.ts";
import { lateParts } from "../../guard/hook/late-parts.ts";
import { readInput } from "../../guard/hook/read-input.ts";
import { runHook } from "../../guard/hook/run-hook.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { describeTry } from "./describe-try.ts";

const help = `haft guard try AGENT [EVENT] < payload [--policy FILE] [--json]
haft guard hook AGENT [EVENT] [--policy FILE] [--watch-only]

Decides about calls of coding agents that others make: ${[...agents.keys()].join(", ")}. Their hooks ask before
each call; one policy answers all of them. What it allows goes on by the agent's own rules, as if nobody had asked.

try       Shows what a payload of an agent's hook is read as, what is decided about it and why, and what
          would be answered, to the byte. The payload is read from standard input. Nothing is asked or kept.
          EVENT is for agents whose payload does not name it.
hook      What an agent's settings start before each call. Answers on standard output; exit code 2, with a
          text on standard error, where Haft could not decide. Then the call is denied, too.

      --policy FILE   rules instead of those of the operator's configuration; with hook an absolute path
      --watch-only    with hook: nothing is decided; what would have been is written down, in the audit log of the
                      configuration, else in guard/watched.jsonl of the state folder
      --json          with try: for programs

Exit codes: 0 when all is well, 1 when a payload cannot be read, 2 for wrong usage.`;

const options = {
  policy: { type: "string", names: "file" },
  "watch-only": { type: "boolean" },
  json: { type: "boolean" },
} as const;

const shaped = defineCommand(
  help,
  options,
  async ({ policy, json = false, ...values }, [action, agent, event, more]) => {
    if (action !== "try") throw new UsageError("haft guard try AGENT < payload, or haft guard hook AGENT.");
    if (values["watch-only"] !== undefined) throw new UsageError("haft guard try has no --watch-only.");
    if (agent === undefined || !agents.has(agent))
      throw new UsageError(`Which agent? haft guard try AGENT; there are ${[...agents.keys()].join(", ")}.`);
    if (more !== undefined) throw new UsageError(`haft guard try is about one event; got "${more}", too.`);
    const policyFile = policy === undefined ? undefined : resolve(policy);
    const run = await runHook({ agent, event, policyFile }, readInput, {
      ...lateParts,
      openApprovals: ASKS_NOBODY,
      async writeDown() {},
    });
    const told = describeTry(run);
    console.log(json ? JSON.stringify(told.json) : told.text);
    return run.failure === undefined ? 0 : 1;
  },
  {
    actions: {
      try: { options: ["policy", "json"], words: [...agents.keys()] },
      hook: { options: ["policy", "watch-only"], words: [...agents.keys()] },
    },
  },
);

/** Looking makes no question that a person would have to answer. */
const ASKS_NOBODY = async () => ({
  approvals: { ask: async () => ({ approvalId: "it-would-have-one" }) },
  async close() {},
});

/** Hooks have an end of their own: whatever goes wrong is a denial, and never exit code 1. */
export const guardCommand = {
  ...shaped,
  run: async (args: string[], name: string): Promise<number> =>
    args[0] === "hook" ? answerHook(args.slice(1), async () => lateParts) : shaped.run(args, name),
};
