import { parseArgs } from "node:util";

export const partNames = "tools repair denied sandbox node contained formats ledger chat".split(" ");

export type Mode = "auto" | "live" | "offline";

/** Exit code 2, with a message and no stack. */
export class UsageError extends Error {}

export const help = `npm run demo -- [options]

An agent repairs a small project through the tools of a Haft session: it runs the tests, repairs
the bug, runs them again, and tries the project's server. It works on a temporary copy, and at
the end the demo itself looks at the disk and at what runs: what it says was verified, was.

Without a key in the environment the model is a script behind a real local endpoint (offline).

      --part NAME   show only this part (and what it needs, unseen); may be given again:
                      tools    what each kind of session is offered, side by side
                      repair   commands, an edit with its diff, a server, a duplicate stopped
                      denied   refused calls with their reasons; the smallest fix, tried out
                      sandbox  the same repair inside a sandbox; what cannot be reached from there
                      node     the same repair on a node; its bell, denied until it is granted
                      contained  commands that nobody is asked about, and one question to leave
                      formats  one result as Markdown and as plain text
                      ledger   what the kernel wrote down of every call
                      chat     a conversation by the loop of haft chat; a call that waits for a yes
      --live        a real model, or an error when the environment names none: OPENAI_API_KEY,
                      OPENAI_BASE_URL, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL
      --offline     the script, whatever the environment says
      --web         a page that shows the calls as they go, until Ctrl-C; its address is printed
      --keep        keep the copy, to look at it
      --json        one JSON object for programs, and nothing else
      --no-color    no colours; there are none without a terminal or with NO_COLOR either
  -h, --help        this text

Exit codes: 0 when everything was verified, 1 when not, 2 for wrong usage, 130 after Ctrl-C.`;

const options = {
  part: { type: "string", multiple: true },
  live: { type: "boolean" },
  offline: { type: "boolean" },
  web: { type: "boolean" },
  keep: { type: "boolean" },
  json: { type: "boolean" },
  "no-color": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function readOptions(args: string[]) {
  const { part = [], live, offline, "no-color": plain, ...flags } = parse(args);
  if (live && offline) throw new UsageError("--live and --offline exclude each other.");
  // `live` requires the environment's model, `offline` never uses it.
  const mode: Mode = live ? "live" : offline ? "offline" : "auto";
  const unknown = part.find((name) => !partNames.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}"; there are ${partNames.join(", ")}.`);
  return { ...flags, parts: part, mode, color: !plain };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (thrown) {
    const [sentence] = (thrown as Error).message.split(/\. (?=[A-Z])/);
    throw new UsageError(`${sentence!.replace(/\.$/, "")}.`);
  }
}
