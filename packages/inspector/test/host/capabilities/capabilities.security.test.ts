import { fc, test } from "@fast-check/vitest";
import { HaftError, type ToolEffect, type ToolOutcome } from "@haft/core";
import { createHost, type Host } from "@haft/host";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { createSessionWorkspace } from "@haft/workspace/internal/places";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { getCapabilities } from "../../../src/host/capabilities/capabilities.ts";
import { type InspectionContext, createInspectionContext } from "../../../src/host/inspection-context.ts";
import type { CapabilityLevel, EffectName, SessionCapabilities } from "../../../src/wire/api.ts";
import { interceptCommands } from "./intercept-commands.ts";
import { calls, configs, type RandomCall, type RandomSession, sessions } from "./random-cases.ts";

// The page "What can it do?" against the calls of real sessions: what it answers "no" or "asks first" happens to nobody unasked.
// All of them, more than 20,000 calls: HAFT_SOAK=1 npm test -- packages/inspector/test/host/capabilities

const counts = {
  policies: 0,
  calls: 0,
  unasked: 0,
  asked: 0,
  refused: 0,
  commands: 0,
  granted: 0,
  impossible: 0,
};
let folder: string;
let place: ReturnType<typeof createSessionWorkspace>;
const ran: string[] = [];

const tool = (name: string, effects: ToolEffect[]) =>
  defineTool({
    name,
    description: "Notes down that it ran.",
    effects,
    parameters: Type.Object({ url: Type.String() }),
    execute: () => {
      ran.push(name);
      return Promise.resolve({ content: [text("done")], details: {} });
    },
  });

/** What its tools declare. */
const DECLARED: Readonly<Record<string, ToolEffect[]>> = {
  fetch: ["network"],
  say: ["message"],
  stamp: ["write"],
  run: ["execute"],
  plain: [],
};

const lab = definePlugin({
  id: "lab",
  tools: [
    ...["fetch", "say", "run", "plain"].map((name) => tool(name, DECLARED[name]!)),
    {
      names: ["stamp"],
      optional: true,
      effects: ["write"],
      factory: () => tool("stamp", DECLARED["stamp"]!),
    },
  ],
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-abilities-"));
  mkdirSync(join(folder, "src"));
  mkdirSync(join(folder, "docs"));
  for (const name of ["src/a.txt", "docs/b.md", "src/.env"]) writeFileSync(join(folder, name), "a\n");
  place = createSessionWorkspace(createHostWorkspace({ root: folder }), {});
});

afterAll(async () => {
  await place.close();
  rmSync(folder, { recursive: true, force: true });
  if (process.env["HAFT_SOAK"] !== undefined) process.stdout.write(`abilities: ${JSON.stringify(counts)}\n`);
});

test.prop(
  [
    configs,
    fc.tuple(sessions, sessions, sessions),
    calls,
    fc.constantFrom<"pending" | "deny">("pending", "pending", "deny"),
  ],
  {
    numRuns: scaleRuns(600, 50),
  },
)(
  "everything that the page describes as denied or asked needs an approval",
  async (policy, wanted, made, approvalMode) => {
    const host = await openHost(policy, approvalMode);
    if (!host) return;
    counts.policies++;
    const looking = createInspectionContext(host);
    try {
      const opened = await Promise.all(wanted.map((one) => openSession(host, one)));
      const pages = await Promise.all(
        opened.map(async ({ session, one }) => ({
          run: await getCapabilities(looking, { run: session.opening }),
          // What no machine contains is a page about this machine, which can.
          kind: one.contains ? await getCapabilities(looking, { kind: one.kind }) : undefined,
        })),
      );
      let lastAsked: { call: RandomCall; approvalId: string } | undefined;
      for (const call of made) {
        const { session, started } = opened[call.session]!;
        const before = started.length;
        ran.length = 0;
        const outcome = await session.call(
          { name: call.name, arguments: call.arguments },
          call.sender === undefined ? {} : { sender: call.sender },
        );
        count(outcome);
        counts.commands += started.length - before;
        if (outcome.kind === "pending") lastAsked = { call, approvalId: outcome.approvalId };
        const did = {
          outcome,
          ran: ran.length > 0,
          outside: started.slice(before).map(({ outside }) => outside),
        };
        const page = pages[call.session]!;
        for (const shown of [page.run, page.kind])
          if (shown?.type === "session")
            expectTold(shown, call, did, { policy, one: opened[call.session]!.one });
      }
      if (lastAsked !== undefined) await expectGrantTold(looking, opened[lastAsked.call.session]!, lastAsked);
    } finally {
      await host.close();
    }
  },
  600_000,
);

/** What was allowed for good happens unasked from then on, and the page says so. */
async function expectGrantTold(
  looking: InspectionContext,
  { session, started }: Opened,
  { call, approvalId }: { call: RandomCall; approvalId: string },
): Promise<void> {
  // Not everything can be allowed for good, and what cannot stays a question.
  await session.resolveApproval(approvalId, { decision: "allow-always" }).catch((thrown: unknown) => {
    if (!HaftError.is(thrown) || thrown.code !== "INVALID_DECISION") throw thrown;
  });
  if ((await session.grants()).length === 0) return;
  counts.granted++;
  const page = await getCapabilities(looking, { run: session.opening });
  const before = started.length;
  ran.length = 0;
  const outcome = await session.call(
    { name: call.name, arguments: call.arguments },
    call.sender === undefined ? {} : { sender: call.sender },
  );
  const did = { outcome, ran: ran.length > 0, outside: started.slice(before).map(({ outside }) => outside) };
  if (page.type === "session") expectTold(page, call, did, { granted: true });
}

type Opened = Awaited<ReturnType<typeof openSession>>;
type Did = { outcome: ToolOutcome; ran: boolean; outside: readonly boolean[] };

/** What came of a call was told: each effect that it had unasked. */
function expectTold(page: SessionCapabilities, call: RandomCall, did: Did, about: object): void {
  for (const effect of effectsOf(page, call, did)) {
    const { answer } = page.abilities[effect];
    expect({ effect, isTold: isUnasked(answer), answer, call, about }).toMatchObject({ isTold: true });
  }
  if (did.ran) expect(page.plugins.unasked).toContain(`lab/${call.name}`);
  // What is promised to run unasked is neither asked about nor refused by a rule.
  if (!isPromised(page, call) || did.outcome.kind === "ok") return;
  expect({ outcome: did.outcome, call, about }).not.toMatchObject({ outcome: { code: "POLICY_DENIED" } });
}

function isUnasked(answer: CapabilityLevel): boolean {
  return answer !== "no" && answer !== "asks";
}

function isPromised({ abilities }: SessionCapabilities, { name, sender }: RandomCall): boolean {
  if (sender !== undefined) return false;
  const all = [...abilities.read.means, ...abilities.write.means];
  return all.some(
    ({ means, answer, tools }) => means === "files" && answer === "yes" && tools.includes(name),
  );
}

/** What happened without a question. */
function effectsOf({ commands }: SessionCapabilities, { name }: RandomCall, did: Did): EffectName[] {
  if (did.ran) return (DECLARED[name] ?? []).flatMap((effect) => ofPlugin[effect]);
  if (did.outside.length > 0) {
    const { where, files, network } = commands;
    const isFree = where === "open" || where === "elsewhere" || did.outside.some(Boolean);
    const reaches = isFree || network !== "none";
    return [
      "commands",
      "read",
      ...(isFree || where === "sandbox" || files === "rw" ? (["write"] as const) : []),
      ...(reaches ? (["network", "messages", "machines"] as const) : []),
    ];
  }
  if (!wasEntered(did.outcome)) return [];
  if (["read", "ls", "grep"].includes(name)) return ["read"];
  return name === "write" || name === "edit" ? ["write"] : [];
}

const ofPlugin: Readonly<Record<ToolEffect, EffectName[]>> = {
  read: ["read"],
  write: ["write"],
  execute: ["commands"],
  network: ["network"],
  message: ["messages"],
};

/** Only a call that ended well has certainly been let through. */
function wasEntered({ kind }: ToolOutcome): boolean {
  return kind === "ok";
}

function count(outcome: ToolOutcome): void {
  counts.calls++;
  if (outcome.kind === "pending") counts.asked++;
  else if (outcome.kind === "blocked") counts.refused++;
  else counts.unasked++;
}

/** `undefined` for rules that say something impossible. */
async function openHost(policy: object, approvalMode: "pending" | "deny"): Promise<Host | void> {
  try {
    return await createHost({
      workspaceDir: folder,
      stateDir: false,
      administratorPolicy: false,
      policy,
      approvalMode,
      loopGuard: false,
      plugins: [lab],
    });
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "POLICY_INVALID") return void counts.impossible++;
    throw thrown;
  }
}

async function openSession(host: Host, one: RandomSession) {
  const { kind, groupId, messageChannel = "", model = "", sender, contains } = one;
  const facts = {
    kind,
    agentId: "main",
    model,
    messageChannel,
    ...(groupId && { groupId }),
    ...(sender && { sender }),
  };
  const wish = contains ? host.policy.containment(facts) : undefined;
  const containment = wish && { mode: wish.mode, network: wish.network };
  const { workspace, started } = interceptCommands(place.workspace, {
    containment,
    ...(kind === "sandboxed" && { target: "sandbox" as const }),
  });
  const session = await host.openSession({
    kind,
    workspace,
    ...(groupId && { groupId }),
    ...(messageChannel && { messageChannel }),
    ...(model && { model: { name: model } }),
    ...(sender && { sender }),
  });
  return { session, started, one };
}
