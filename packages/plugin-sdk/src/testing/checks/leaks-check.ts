import { setImmediate } from "node:timers/promises";
import type { CheckSite } from "./check-site.ts";
import type { CheckResult } from "./report.ts";

/** Turns of the event loop in which what was ended goes. */
const TURNS = 20;

/** Factories, too, reach files through their workspace; they read what is in their own package as they like. */
export function checkWays({ observer }: CheckSite): CheckResult[] {
  return [...new Set(observer.around)].map((what) => ({
    check: "workspace",
    status: "problem",
    message: `A factory goes around its ports: ${what}.`,
    fix: "Use workspace of its context; what the plugin needs of the host comes from its configuration.",
  }));
}

/** What a plugin began ends with its sessions: else no process that had it ends by itself. */
export async function checkLeaks({ handles }: CheckSite): Promise<CheckResult[]> {
  for (let turn = 0; turn < TURNS && handles.left().length > 0; turn++) await setImmediate();
  const left = handles.left();
  handles.end();
  if (left.length === 0)
    return [
      { check: "leaks", status: "ok", message: "Nothing is left running when its sessions are closed." },
    ];
  return [
    {
      check: "leaks",
      status: "problem",
      message: `When all sessions were closed, ${left.join(" and ")} of it still ran, so the process would not end.`,
      fix: "End it in the call that began it (finally), or with the signal of the factory; or let it go with unref().",
    },
  ];
}
