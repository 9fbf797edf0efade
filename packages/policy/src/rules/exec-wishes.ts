import type { CommandSubject } from "@haft/core";
import { isOfWorkspace } from "../read/document.ts";
import { admits, compileCommandList, whyMissed } from "./command-list.ts";
import type { ExecLayer } from "./exec-rules.ts";
import type { Finding } from "./rule.ts";

/** What the call itself asks for: never more than it would get, so it can only tighten. */
export function lookAtWishes(command: CommandSubject, layers: readonly ExecLayer[]): Finding[] {
  const findings: Finding[] = [];
  const add = (rule: string, verdict: Finding["verdict"], because: string): void => {
    findings.push({ layer: "exec", source: "the call", rule, verdict, because });
  };
  if (command.security === "deny")
    add('security "deny": no command runs', "deny", 'asks for security "deny" itself');
  if (command.security === "allowlist") {
    // A list of a workspace holds calls back; what a call asks for itself is not measured by it.
    const gates = layers
      .filter(({ security, document }) => security === "allowlist" && !isOfWorkspace(document))
      .map(({ list }) => list);
    const lists = gates.length > 0 ? gates : [compileCommandList({})];
    const misses = command.commands.filter((each) => !lists.some((list) => admits(list, each)));
    const why = whyMissed(command, misses, lists);
    const rule = 'security "allowlist": only what is listed';
    if (why === undefined) add(rule, "allow", "is on the list");
    else if (command.ask === "on-miss" || command.ask === "always")
      add(rule, "ask", `needs approval: ${why}, as the call itself asks for`);
    else add(rule, "deny", `asks for listed commands only: ${why}`);
  }
  if (command.ask === "always") {
    findings.push({
      layer: "exec",
      source: "the call",
      rule: 'ask "always": every command is asked about',
      verdict: "ask",
      because: "needs approval, as the call itself asks for",
      everyTime: "the call itself asks for it",
    });
  }
  return findings;
}
