import type { Host } from "@haft/host";
import { matrixLabel, matrixLegend, readMatrix, sessionKinds, formatTable } from "@haft/policy";
import { applyPatchWith } from "@haft/tools-fs/engine";
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { changeOptions, printChange, withFileChanges } from "../undo/change.ts";
import { action, defineCommand, FLAG, UsageError } from "../usage.ts";
import { withHost } from "../with-host.ts";
import { print } from "../write-out.ts";
import { callAction } from "./call.ts";
import { describeSession } from "./describe-session.ts";

const help = `haft tools [list] [--all] [options]
haft tools call TOOL [JSON] [options]
haft tools patch [FILE] [options]

Lists the tools of a session, calls a tool, or applies a patch.

  haft tools
  haft tools --all --policy policy.yaml --no-config
  haft tools call read '{"path":"README.md","limit":5}'
  haft tools call exec '{"command":"npm test"}'
  haft tools patch < changes.patch

list      Lists the tools of a session. For every other registered tool, prints the reason why it is missing and the
          smallest change that adds it. With --all: all kinds of session side by side.
call      Runs one call in a fresh session and prints its result; a failed call prints the reason on standard error.
          JSON contains the arguments; - reads them from standard input. On a terminal, output of a command appears
          while it runs, with the elapsed time. The call waits for the end of its command, unless the arguments say
          otherwise (yieldMs, background). The command ends with the session. Ctrl-C cancels the call and ends its
          processes; a second Ctrl-C exits at once.
patch     Applies a patch (*** Begin Patch … *** End Patch) from FILE or standard input to the files of the
          workspace, completely or not at all. Prints the changes and the command that reverts them.

      --all                 with list: show what each kind of session may do with each tool, as a table
      --follow              with call: for programs, print each partial result as a line of "kind":"update", and at
                            the end the line of --json
      --format FORMAT       with call: markdown or plain; default: plain; with patch: diff, to print the diff of every
                            file
      --approvals MODE      with call, if it needs approval: ask (the default on a terminal; Ctrl-C denies), wait
                            (until haft approvals answers) or deny (the default without a terminal)
  -n, --dry-run             with patch: show the changes and write nothing
      --project-settings    with patch: also change settings that start programs, such as .vscode and .envrc
      --json                print JSON for programs; with list {"tools":[…],"missing":[…],"containment":{…}}, or
                            {"rows":[…]} with --all; with call and patch the whole outcome as one line

${sessionArgumentsHelp}

Exit codes: 0 if the tools were listed, the call succeeded or the patch was applied (or would be), 1 if not, 2 for
wrong usage, 129, 130 or 143 if SIGHUP (a closed terminal), SIGINT (Ctrl-C) or SIGTERM cancelled the call. A call of
exec succeeds if its command ran; the result contains the exit code of the command.`;

const list = action({
  options: { ...sessionArguments, json: FLAG, all: FLAG },
  async run(values) {
    const { host: options, session } = await readSessionValues(values);
    return withHost(options, async (host) => {
      if (values.all) {
        print(values.json, { rows: readMatrix(host.policy, host.catalogue, values.agent) }, () =>
          formatMatrix(host, values.agent),
        );
        return 0;
      }
      const preview = await host.preview(session);
      const containment = await host.containment(session);
      const data = { tools: preview.tools(), missing: preview.missing(), containment };
      const text = await describeSession(preview, containment);
      print(values.json, data, () => text);
      return 0;
    });
  },
});

export function formatMatrix(
  { policy, catalogue }: Pick<Host, "policy" | "catalogue">,
  agentId?: string,
): string {
  const rows = readMatrix(policy, catalogue, agentId);
  const body = rows.map(({ name, cells }) => [
    name,
    ...sessionKinds.map((kind) => matrixLabel(cells[kind]).label),
  ]);
  const legend = matrixLegend(rows).map(([word, meaning, note]) => [note ?? word, meaning]);
  return [...formatTable([["tool", ...sessionKinds], ...body]), "", ...formatTable(legend)].join("\n");
}

const patchAction = action({
  options: { ...changeOptions, root: sessionArguments.root, format: { type: "string", words: ["diff"] } },
  names: "file",
  most: 1,
  run: (values, [file]) =>
    withFileChanges(values, async ({ changes }) => {
      const dryRun = values["dry-run"] ?? false;
      const { report } = await applyPatchWith(changes, await readPatch(file), { dryRun });
      printChange(report, {
        json: values.json,
        withDiff: dryRun || values.format === "diff",
        verb: "Changed",
      });
      return 0;
    }),
});

async function readPatch(path: string | undefined): Promise<string> {
  if (path === undefined || path === "-") return readAll(process.stdin);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`There is no file ${path}.`);
  }
}

export const toolsCommand = defineCommand(help, { list, call: callAction, patch: patchAction }, "list");
