import type { CallStatus } from "../../src/wire/api.ts";

// This folder contains all texts of the page. Texts of tools and rules come from the server.

/** `1 call`, `1,234 calls`. */
export function plural(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export const words = {
  product: "Haft",
  skip: "Skip to the view",
  views: {
    timeline: "Timeline",
    approvals: "Approvals",
    policy: "Policy",
    tools: "Tools",
    processes: "Processes",
    places: "Places",
    ledger: "Ledger",
    owner: "What can it do?",
  },
  navigation: "Views",
  more: "More",
  close: "Close",
  back: "Back",
  retry: "Try again",
  loading: "Loading …",
  nothing: "Nothing here.",
  unreachable: "Haft does not answer.",
  unreachableFix: "Is it still running? This page goes on by itself once it is.",
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  keys: "Keys",
  keysTitle: "Everything by keyboard",
  keysMove: "move in a list",
  keysNext: "the next one in the list, from wherever the page is",
  keysBefore: "the one before it",
  keysOpen: "open what is chosen",
  keysTheme: "another theme",
  keysHelp: "this list",
  keysGo: (view: string) => `go to ${view}`,
  keysBack: "back, or close",
  role: { look: "Looks only", act: "May decide" },
  roleLook: "This page was opened with a token that only looks. To decide here, start it with --act.",
  connection: {
    connecting: "Connecting …",
    live: "Live",
    lost: "Connection lost, trying again …",
    "catching-up": "Connection lost — catching up …",
    refused: "Token not accepted",
  },
  connectionKept: "Follows the store",
  noToken: "This page needs its token",
  noTokenFix: "Open the whole address that haft inspect printed, with everything behind the #.",
  draftsKept: (files: string) =>
    `What you typed and did not save is kept in this tab (${files}): open the new address here.`,
  drafts: (number: number) => plural(number, "file is not saved", "files are not saved"),
  copy: "Copy",
  copied: "Copied",
  notCopied: "This browser does not let the page copy.",
  calls: (number: number) => plural(number, "call", "calls"),
  kind: { main: "main", group: "group", sandboxed: "sandboxed" },
  stand: {
    ok: "it did what was asked",
    error: "it ran, and failed",
    blocked: "it was not allowed to run",
    cancelled: "it was stopped",
    waiting: "it waits for a decision",
    running: "it runs, or whoever ran it died and nobody has looked since",
    interrupted: "whoever ran it died: nobody can say what it did",
    gap: "records of calls that only read may be missing here",
  } satisfies Record<CallStatus, string>,
  effect: { allow: "allow", ask: "ask", deny: "deny", grant: "needs a grant" },
} as const;

export const exported = {
  made: (when: string) =>
    `Exported ${when}. Secrets are covered as far as they look like some. This file sends no request.`,
  cut: (number: number) =>
    `This file has reached its limit of 64 MiB: of ${plural(number, "call", "calls")} it has no details. An export as json has all.`,
  notHere: "This is not in the exported file.",
} as const;

/** Shared names of decisions and changes. */
export const common = {
  fix: "To change it:",
  lookedAt: "All that was looked at, in order",
  pass: "pass",
  decides: "decides",
  diff: "Changed lines",
  word: {
    allow: "may be called",
    ask: "each call needs approval",
    grant: "denied until the policy grants it",
    deny: "denied by a rule",
  },
  wordForSome: {
    ask: "some calls need approval, by what they would do",
    grant: "some calls are denied until the policy grants them",
    deny: "some calls are denied, by what they would do",
  },
  moreLines: (number: number) => plural(number, "more line", "more lines"),
} as const;
