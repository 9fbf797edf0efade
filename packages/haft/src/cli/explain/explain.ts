import { type CallPlan, type PlannedCommand, contentToText } from "@haft/core";
import type { ExplainedStep } from "@haft/core/internal";
import type { CallExplanation } from "@haft/core/kernel";
import { formatNodeSubject } from "@haft/history/ledger";
import type { SessionContainment } from "@haft/host/internal/contained";
import { effectsByKind, formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { usesNetwork, describeToolNetwork } from "../describe-network.ts";
import { describeView } from "../describe-view.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { action, defineCommand, FLAG, requireObjectText } from "../usage.ts";
import { withHost } from "../with-host.ts";
import { print } from "../write-out.ts";

const help = `haft explain TOOL [JSON] [options]

Explains what would happen to a tool, or to one call of it, without running anything: the effects of the call, the
rule that decides, every check in order, grants that apply, and the smallest change of rules that makes the
decision less strict, if one does.

  haft explain write --session group
  haft explain exec '{"command":"git status | sh"}'
  haft explain exec '{"command":"npm ci","outside":true,"reason":"it builds with Docker"}'

      --json                print JSON for programs

${sessionArgumentsHelp}

Exit codes: 0 if the call would run, 1 if it would not run or needs approval, 2 for wrong usage.`;

export const explainCommand = defineCommand(
  help,
  action({
    options: { ...sessionArguments, json: FLAG },
    names: "tool",
    most: 2,
    needs: "Name a tool: haft explain TOOL [JSON]; haft tools --all lists all.",
    async run(values, [name = "", json]) {
      if (json !== undefined) requireObjectText("haft explain", json);
      const options = await readSessionValues(values);
      return withHost(options.host, async (host) => {
        const preview = await host.preview(options.session);
        const explanation = await preview.explain(name, json);
        const containment = await host.containment(options.session);
        const facts = host.catalogue.find(({ id, name: short }) =>
          [id, short].includes(explanation.toolName ?? ""),
        );
        const network =
          facts !== undefined && usesNetwork(facts) ? describeToolNetwork(facts, preview.facts) : undefined;
        print(values.json, { ...explanation, containment, network }, () =>
          formatCallExplanation(explanation, { containment, network }, json === undefined),
        );
        return explanation.verdict === "runs" ? 0 : 1;
      });
    },
  }),
);

const VERDICTS: Record<CallExplanation["verdict"], string> = {
  runs: "is allowed to run",
  asks: "needs approval before it runs",
  hidden: "is not visible to the model, and a call would be blocked",
  denied: "would be blocked",
  "invalid-arguments": "would be refused: the arguments are wrong",
  fails: "would fail: its effects cannot be determined",
  loop: "would be blocked by the loop guard",
  broken: "is not available",
  absent: "is not part of this session",
  unknown: "is not a tool of this session",
};

export function formatCallExplanation(
  explanation: CallExplanation,
  { containment, network }: { containment: SessionContainment; network: string | undefined },
  ofTool: boolean,
): string {
  const { asked, toolName = asked, session, verdict, plan, trace } = explanation;
  const title = `${escapeInvisible(toolName)} in a ${session.kind} session (agent ${escapeInvisible(session.agentId)}) ${(ofTool && forSomeCalls(explanation)) || VERDICTS[verdict]}.`;
  const sections = [
    title,
    formatTable([
      ...answerRows(explanation),
      ...viewRows(explanation, containment),
      ...(network === undefined ? [] : [["network", escapeInvisible(network)]]),
    ])
      .map(indented)
      .join("\n"),
    plan === undefined ? "" : ["It would do:", "", ...planLines(plan).map(indented)].join("\n"),
    trace.length === 0 ? "" : ["Checked, in order (→ decides):", "", ...traceLines(trace)].join("\n"),
  ];
  return sections.filter(Boolean).join("\n\n");
}

function forSomeCalls({ call }: CallExplanation): string | undefined {
  const { toSome, toOthers } = call === undefined ? {} : effectsByKind(call.trace);
  if (toSome === undefined) return undefined;
  const others = toOthers === "ask" ? "needs approval before it runs" : "is allowed to run";
  return `${others}, and some calls ${toSome === "ask" ? "need approval" : "are denied"}, depending on their effects`;
}

function answerRows({ reason, fix, code, nearest = [], call, visibility }: CallExplanation): string[][] {
  const shadow = call?.shadow ?? visibility?.shadow;
  const rows: (readonly [string, string | undefined])[] = [
    ["because", reason],
    [code === undefined ? "to change" : "instead", fix],
    ["code", code],
    ["did you mean", nearest.length > 0 ? nearest.join(", ") : undefined],
    ["every time", call?.everyTime],
    ["in shadow", shadow && `${shadow.effect}: ${shadow.reason}`],
    ["decision", call?.id ?? visibility?.id],
  ];
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, escapeInvisible(text)]]));
}

function viewRows({ session, trace, plan }: CallExplanation, containment: SessionContainment): string[][] {
  // A sandboxed session does not see the host.
  if (session.kind === "sandboxed") return [];
  const runsCommands =
    plan?.subjects?.command !== undefined ||
    trace.some(({ layer, stage, rule }) => layer === "containment" || (stage === "place" && RUNS.test(rule)));
  return runsCommands ? [["commands", describeView(containment)]] : [];
}

const RUNS = /^runs (contained )?on the host/;

function planLines({ subjects = {}, preview }: NonNullable<CallExplanation["plan"]>): string[] {
  const { command, paths = [], hosts = [], action: verb, node } = subjects;
  const lines = [
    ...(verb === undefined ? [] : [`action  ${escapeInvisible(verb)}`]),
    ...(command === undefined ? [] : commandLines(command)),
    ...formatTable(
      paths.map(({ access, path, recursive }) => [
        access,
        `${escapeInvisible(path)}${recursive ? ", and all below it" : ""}`,
      ]),
    ),
    ...hosts.map((host) => `connect  ${escapeInvisible(host)}`),
    ...(node === undefined
      ? []
      : [`node  ${node.name} (${node.id})`, ...formatNodeSubject(node, "command  ")].map(escapeInvisible)),
  ];
  return lines.length > 0 ? lines : contentToText(preview).split("\n").map(escapeInvisible);
}

function commandLines(command: NonNullable<NonNullable<CallPlan["subjects"]>["command"]>): string[] {
  const { text, cwd, shell, commands, unclear, outside, forward } = command;
  return [
    `${escapeInvisible(text)}    in ${escapeInvisible(cwd)}`,
    ...(shell === undefined ? [] : [`shell  ${escapeInvisible(shell)}`]),
    ...(outside === undefined ? [] : [`runs outside the view; its reason  ${escapeInvisible(outside)}`]),
    ...(forward === undefined ? [] : [`forwards  its port ${forward} to this machine, while it runs`]),
    ...formatTable(commands.map((each) => ["-", each.argv.map(quoted).join(" "), whatRuns(each)])),
    ...(unclear === undefined
      ? []
      : [`unclear: ${escapeInvisible(unclear)}, so it would run as a whole or not at all`]),
  ];
}

function whatRuns({ path, builtin, through, harmless, carrier }: PlannedCommand): string {
  const program = builtin ? "the shell itself" : path === undefined ? "not found" : escapeInvisible(path);
  return [
    program,
    through.length > 0 ? `by ${through.map(escapeInvisible).join(", ")}` : undefined,
    harmless ? "only transforms its input" : undefined,
    carrier === undefined ? undefined : escapeInvisible(carrier),
  ]
    .filter((part) => part !== undefined)
    .join("; ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${escapeInvisible(word.replaceAll("'", "'\\''"))}'`;
}

const SHOWN_PASSES = 5;

function traceLines(trace: readonly ExplainedStep[]): string[] {
  const rows: string[][] = [];
  let passes = 0;
  for (const [index, step] of trace.entries()) {
    const { stage, layer, verdict, rule, source, decided } = step;
    const before = trace[index - 1];
    passes = verdict === "pass" && before?.verdict === "pass" && before.layer === layer ? passes + 1 : 0;
    if (passes >= SHOWN_PASSES) {
      if (passes > SHOWN_PASSES) rows.pop();
      rows.push(["  ", stage, "", "", `… ${passes - SHOWN_PASSES + 1} more that do not match`, ""]);
      continue;
    }
    const where = layer === stage ? "" : layer;
    rows.push([decided ? " →" : "  ", stage, where, verdict, escapeInvisible(rule), escapeInvisible(source)]);
  }
  return formatTable(rows);
}

function indented(line: string): string {
  return line === "" ? "" : `  ${line}`;
}
