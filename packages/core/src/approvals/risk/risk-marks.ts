import type { RiskMark } from "../../contract/approval-port.ts";
import type { CallPlan, CallSubjects, CommandSubject, PathSubject } from "../../contract/plan.ts";
import type { ToolFacts } from "../../contract/policy-port.ts";
import type { Mount } from "../../contract/ports.ts";
import { programMarks, secretMarks, writeMarks } from "./program-risks.ts";
import { listTruncatedFiles, pipesIntoShell, redirectTargets, wordLists } from "./read-words.ts";
import type { RiskContext } from "./risk-paths.ts";

const LEVELS: readonly RiskMark["level"][] = ["danger", "care", "info"];
const MAX_PER_KIND = 5;
const MAX_WORDS = 1_000;

export interface RiskSubject {
  tool: Pick<ToolFacts, "effects" | "effectsUnknown">;
  args: unknown;
  plan?: Pick<CallPlan, "subjects" | "consent"> | undefined;
  mounts: readonly Mount[];
}

/** Returns risks, the gravest first. A call without marks may be risky. */
export function riskMarks({ tool, args, plan, mounts }: RiskSubject): RiskMark[] {
  const { subjects, consent = [] } = plan ?? {};
  const { effects } = tool;
  const marks: RiskMark[] = [
    ...commandMarks(subjects?.command ?? commandIn(args, effects), mounts),
    ...consent.map(({ reason }): RiskMark => ({ kind: "consent", level: "care", text: reason })),
    ...(subjects?.paths ?? []).flatMap(pathMarks),
    ...secretPaths(subjects?.paths),
    ...(subjects?.hosts ?? []).map((host): RiskMark => ({
      kind: "network",
      level: "info",
      text: `It connects to ${host}.`,
    })),
    ...nodeMarks(subjects?.node),
  ];
  if (effects.includes("message"))
    marks.push({
      kind: "message",
      level: "care",
      text: "It sends messages to people, which cannot be undone.",
    });
  if (effects.includes("network") && subjects?.hosts === undefined)
    marks.push({
      kind: "network",
      level: "care",
      text: "It reaches the network; its destination is unknown.",
    });
  if (tool.effectsUnknown === true)
    marks.push({
      kind: "unknown-effects",
      level: "care",
      text: "The effects of this tool are not declared.",
    });
  return sorted(marks);
}

const LASTING_KINDS: ReadonlySet<RiskMark["kind"]> = new Set([
  "deletes",
  "device",
  "sends",
  "secret",
  "permissions",
  "outside",
  "history",
  "ends",
  "elevated",
  "lasting",
  "pipe",
  "unclear",
  "message",
]);

/** Ends a sentence: why the call excludes program grants. */
export function describeGrantObstacle(
  marks: readonly RiskMark[],
  command: CommandSubject | undefined,
): string | undefined {
  if (command === undefined) return undefined;
  const grave = marks.find(({ kind, level }) => level !== "info" && LASTING_KINDS.has(kind));
  if (grave === undefined) return undefined;
  const text = grave.text.replace(/\.$/, "");
  return `it is about this call alone, since ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function commandIn(args: unknown, effects: ToolFacts["effects"]): CommandSubject | undefined {
  if (!effects.includes("execute") || typeof args !== "object" || args === null) return undefined;
  const { command, cmd } = args as { command?: unknown; cmd?: unknown };
  const text = [command, cmd].map(textOfCommand).find((each) => each !== undefined);
  return text === undefined ? undefined : { text, cwd: "/", commands: [], unclear: "" };
}

function textOfCommand(given: unknown): string | undefined {
  if (typeof given === "string") return given;
  return Array.isArray(given) ? given.filter((word) => typeof word === "string").join(" ") : undefined;
}

function commandMarks(command: CommandSubject | undefined, mounts: readonly Mount[]): RiskMark[] {
  if (command === undefined) return [];
  const { text, cwd, unclear, elevated, outside, commands, forward, redirects } = command;
  const context: RiskContext = { cwd, mounts };
  const marks: RiskMark[] = [];
  if (unclear !== undefined && unclear !== "")
    marks.push({ kind: "unclear", level: "danger", text: `It is not certain what it runs: ${unclear}.` });
  if (elevated === true)
    marks.push({ kind: "elevated", level: "danger", text: "It requests to run outside of its limits." });
  if (outside !== undefined)
    marks.push({
      kind: "outside",
      level: "danger",
      text: `It leaves the view of contained commands, for this reason: ${outside}`,
    });
  if (forward !== undefined)
    marks.push({
      kind: "network",
      level: "care",
      text: `Its port ${forward} can be reached from this machine.`,
    });
  const lists = commands.map(({ argv }) => argv);
  // An unclear line is also read as words, since it may hide commands. A clear line is read only for patterns.
  const written = wordLists(text).filter((words) => unclear !== undefined || deletesByPattern(words));
  const all = [...lists, ...written];
  for (const words of all) marks.push(...marksOfWords(words, context));
  for (const { carrier, nested } of commands)
    if (carrier !== undefined && nested !== true && !marks.some(({ kind }) => kind === "unclear"))
      marks.push({ kind: "carrier", level: "care", text: `${carrier.replace(/\.$/, "")}.` });
  const targets = redirects?.filter(({ access }) => access === "write").map(({ path }) => path);
  marks.push(...writeMarks(targets ?? redirectTargets(text), context));
  marks.push(...secretPaths(redirects));
  marks.push(
    ...listTruncatedFiles(text).map((path): RiskMark => ({
      kind: "deletes",
      level: "care",
      text: `It empties ${path}, if it is there.`,
    })),
  );
  if (pipesIntoShell(text))
    marks.push({ kind: "pipe", level: "danger", text: "It runs the output of another command." });
  if (commands.length > 1)
    marks.push({ kind: "compound", level: "info", text: `It runs ${commands.length} commands.` });
  return marks;
}

const CARRIERS =
  /^(npx|bunx|pnpx|(npm|pnpm|yarn|bundle) (exec|dlx)|(uv|poetry|hatch|pdm|pipenv|conda) run|git submodule foreach|git bisect run|nerdctl|oc|firejail|bwrap|caffeinate|unbuffer|fakeroot|sshpass|sudo|doas|su|pkexec|env|nice|nohup|timeout|xargs|parallel|time|stdbuf|setsid|command|exec|eval|busybox|toybox|chroot|unshare|nsenter|ionice|chrt|taskset|watch|script|ssh|find|fd|sh|bash|zsh|dash|ksh|ash|fish|docker|podman|kubectl|flatpak|systemd-run|flock|entr|strace|gosu|runuser|tmux|screen)(?= |$)/;

function deletesByPattern(words: readonly string[]): boolean {
  return (
    /^(\S*\/)?(rm|unlink|trash|shred|rimraf)$/.test(words[0]!) && words.some((word) => /[*?[]/.test(word))
  );
}

function marksOfWords(words: readonly string[], context: RiskContext, depth = 0): RiskMark[] {
  const direct = [...programMarks(words, context), ...secretMarks(words.slice(1))];
  const name = words[0]?.split("/").at(-1) ?? "";
  if (depth > 4 || !CARRIERS.test([name, ...words.slice(1, 3)].join(" "))) return direct;
  const few = words.slice(0, MAX_WORDS);
  const inner = few.slice(1).flatMap((word, index) =>
    /\s|[;&|<>]/.test(word)
      ? [
          ...wordLists(word).flatMap((list) => marksOfWords(list, context, depth + 1)),
          ...writeMarks(redirectTargets(word), context),
        ]
      : // The options of the carrier may end anywhere, so each word may start a command.
        programMarks(few.slice(index + 1), context),
  );
  return [...direct, ...inner];
}

function pathMarks({ path, access, recursive, outside }: PathSubject): RiskMark[] {
  const marks: RiskMark[] = [];
  if (outside === true)
    marks.push({
      kind: "outside",
      level: "danger",
      text: `${path} is outside of the folders of the session.`,
    });
  if (recursive === true && access === "write")
    marks.push({ kind: "recursive", level: "care", text: `It changes everything below ${path}.` });
  return marks;
}

function secretPaths(paths: CallSubjects["paths"]): RiskMark[] {
  return secretMarks((paths ?? []).map(({ path }) => path));
}

function nodeMarks(node: CallSubjects["node"]): RiskMark[] {
  if (node === undefined) return [];
  const what = node.command === undefined ? "" : `: ${node.command}`;
  return [{ kind: "node", level: "care", text: `It acts on the machine ${node.name}${what}.` }];
}

function sorted(marks: readonly RiskMark[]): RiskMark[] {
  const unique = [...new Map(marks.map((one) => [`${one.kind} ${one.text}`, one])).values()];
  const kinds = new Map<string, number>();
  return unique
    .toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))
    .filter(({ kind }) => {
      const count = (kinds.get(kind) ?? 0) + 1;
      kinds.set(kind, count);
      return count <= MAX_PER_KIND;
    });
}
