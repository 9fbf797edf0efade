import type { CallStatus } from "../../src/wire/api.ts";

// This folder has the page's texts; the server has those of tools and rules.

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
  unreachable: "Haft does not respond.",
  unreachableFix: "Check whether it still runs. This page reconnects automatically.",
  theme: { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" },
  keys: "Keys",
  keysTitle: "Keyboard shortcuts",
  keysMove: "move in a list",
  keysNext: "next item of the list, from any part of the page",
  keysBefore: "previous item",
  keysOpen: "open the selected item",
  keysTheme: "change the theme",
  keysHelp: "show this list",
  keysGo: (view: string) => `go to ${view}`,
  keysBack: "back, or close",
  role: { look: "Read only", act: "Can decide" },
  roleLook: "This page was opened with a read-only token. To decide here, start the inspector with --act.",
  connection: {
    connecting: "Connecting …",
    live: "Live",
    lost: "Connection lost, trying again …",
    "catching-up": "Connection lost — catching up …",
    refused: "Token not accepted",
  },
  connectionKept: "Follows the store",
  noToken: "This page needs its token",
  noTokenFix: "Open the complete address that haft inspect printed, including the part after the #.",
  draftsKept: (files: string) => `Unsaved text is stored in this tab (${files}). Open the new address here.`,
  drafts: (number: number) => plural(number, "file is not saved", "files are not saved"),
  copy: "Copy",
  copied: "Copied",
  notCopied: "The browser does not allow this page to copy.",
  calls: (number: number) => plural(number, "call", "calls"),
  kind: { main: "main", group: "group", sandboxed: "sandboxed" },
  stand: {
    ok: "it succeeded",
    error: "it ran and failed",
    blocked: "it was not allowed to run",
    cancelled: "it was stopped",
    waiting: "it waits for a decision",
    running: "it runs, or its process crashed and this was not noticed yet",
    interrupted: "its process crashed, so its effects are unknown",
    gap: "records of calls that only read may be missing here",
  } satisfies Record<CallStatus, string>,
  effect: { allow: "allow", ask: "ask", deny: "deny", grant: "needs a grant" },
} as const;

export const exported = {
  made: (when: string) =>
    `Exported ${when}. Texts that look like secrets are masked. This file sends no request.`,
  cut: (number: number) =>
    `This file has reached its limit of 64 MiB and has no details of ${plural(number, "call", "calls")}. An export as json is complete.`,
  notHere: "The exported file does not contain this.",
} as const;

export const common = {
  fix: "To change it:",
  lookedAt: "All considered rules, in order",
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
    ask: "some calls need approval, depending on their effects",
    grant: "some calls are denied until the policy grants them",
    deny: "some calls are denied, depending on their effects",
  },
  moreLines: (number: number) => plural(number, "more line", "more lines"),
} as const;
