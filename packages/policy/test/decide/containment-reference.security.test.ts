import { fc, test } from "@fast-check/vitest";
import type { CommandSubject, ContainmentFacts } from "@haft/core";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { ExecRules } from "../../src/read/exec-config.ts";
import { policy, running, session, tool, valid } from "../fixtures.ts";
import { someNetworks } from "../random-policies.ts";

const execs: fc.Arbitrary<ExecRules> = fc.record(
  {
    preset: fc.constantFrom("careful" as const, "contained" as const),
    containment: fc.constantFrom("workspace" as const, "read-only" as const, "none" as const),
    network: someNetworks,
    security: fc.constantFrom("deny" as const, "allowlist" as const, "full" as const),
    ask: fc.constantFrom("off" as const, "on-miss" as const, "always" as const),
    allow: fc.constantFrom(["git"], ["ls"]),
  },
  { requiredKeys: [] },
);
const views = fc.option(
  fc.record({ mode: fc.constantFrom("workspace" as const, "read-only" as const), network: someNetworks }),
  { nil: undefined },
);

/** What the call asks of the view. */
type Wish = Pick<CommandSubject, "outside" | "forward">;
const wishes = fc.constantFrom<Wish>({}, {}, { outside: "x" }, { forward: 5173 });

/** The rules of one scope for a command that is listed or not, written down once more. */
function byTheBook(
  exec: ExecRules,
  facts: ContainmentFacts | undefined,
  listed: boolean,
  { outside, forward }: Wish,
): string {
  const out = outside !== undefined;
  const mode = exec.containment ?? (exec.preset === "contained" ? "workspace" : "none");
  const network = exec.network ?? (mode === "none" ? "full" : "none");
  const reaches = (host: string, by: ContainmentFacts["network"]) =>
    by === "full" ||
    (by !== "none" &&
      by.some(
        (each) =>
          each === "*" || each === host || (each === "*.example.com" && host.endsWith(".example.com")),
      ));
  // One of each kind that the lists of these tests tell apart.
  const hosts = ["example.org", "a.example.com", "b.example.com", "c.example.net"];
  const narrow =
    facts !== undefined &&
    !(facts.network === "full" && network !== "full") &&
    hosts.every((host) => !reaches(host, facts.network) || reaches(host, network));
  const asWanted = facts !== undefined && narrow && (mode !== "read-only" || facts.mode === "read-only");
  const uncontained = facts === undefined ? mode !== "none" : !asWanted;
  const gate =
    exec.security ??
    (exec.allow ||
    exec.preset === "careful" ||
    (exec.preset === "contained" && uncontained && mode !== "none")
      ? "allowlist"
      : "full");
  const miss =
    exec.ask ??
    (exec.preset === undefined || exec.security === "full" || (exec.preset === "contained" && gate === "full")
      ? "off"
      : "on-miss");
  const answers = ["allow"];
  if (gate === "deny") answers.push("deny");
  if (gate === "full" && uncontained) answers.push("ask");
  if (miss === "always") answers.push("ask");
  const spared = facts !== undefined && asWanted && !out && !exec.allow && miss === "on-miss";
  if (gate === "allowlist" && !(listed && exec.allow) && !spared)
    answers.push(miss === "off" ? "deny" : "ask");
  if ((out || forward !== undefined) && facts !== undefined) answers.push("ask");
  return answers.includes("deny") ? "deny" : answers.includes("ask") ? "ask" : "allow";
}

test.prop([execs, views, fc.boolean(), wishes], { numRuns: scaleRuns(600, 3) })(
  "decides about commands exactly like the reference implementation",
  (exec, containment, listed, wish) => {
    fc.pre(valid({ exec }));
    const line = exec.allow?.[0] === "ls" ? "ls" : "git";
    const subjects = running(listed ? line : "make", wish);
    const facts = { ...session("main"), ...(containment && { containment }) };
    const { effect } = policy({ exec }).forSession(facts).call(tool("exec"), {}, subjects);
    expect(effect).toBe(byTheBook(exec, containment, listed, wish));
  },
);
