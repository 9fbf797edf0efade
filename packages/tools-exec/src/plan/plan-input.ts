import { type CallPlan, type CommandSubject, getErrorMessage, text, type Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { encodeInput, type KeyInput } from "../keys/encode-input.ts";
import { PLAIN_KEYS } from "../keys/encode-key.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { toCodeFence, toSingleLine } from "./command-preview.ts";
import { hashBinding } from "./grants/grant-keys.ts";
import { planCommand } from "./plan-command.ts";

interface GivenInput extends KeyInput {
  action: "write" | "send-keys" | "submit" | "paste";
  data?: string | undefined;
  eof?: boolean | undefined;
  text?: string | undefined;
}

const MAX_SHOWN = 8_000;
const MAX_COMMAND = 4_096;

/** Input is a command if the program runs it as code (a shell, an interpreter, `ssh`, any program on a terminal), else data. */
export async function planInput(
  workspace: Workspace,
  session: CommandSession,
  given: GivenInput,
): Promise<CallPlan> {
  const { action } = given;
  const typed = typedBy(given, session.info.pty);
  if (typed === "") return { subjects: { action } };
  session.input ??= { takesCode: await findOut(workspace, session) };
  const { takesCode } = session.input;
  if (takesCode === undefined) return { subjects: { action } };
  const { id, info } = session;
  const unclear = `it is input of ${id}, which can run it as code: ${takesCode}`;
  const outside = info.outside === true ? "it is input of a command that runs there" : undefined;
  const there = workspace.describe().node;
  const node = there && { id: there.id, name: there.name };
  const command = { text: typed, cwd: info.cwd, commands: [], unclear, input: true, outside } as const;
  const isCut = typed.length > MAX_SHOWN;
  return withoutUndefined<CallPlan>({
    subjects: withoutUndefined({ action, command: withoutUndefined<CommandSubject>(command), node }),
    preview: [text(showInput(session, given, typed, takesCode))],
    identity: JSON.stringify([action, id, given.eof === true, typed]),
    binding: hashBinding({ command: info.callerId, process: info.id, startedAt: String(info.startedAt) }),
    noProgramGrant: "input can be anything",
    noAlways: isCut ? "the input is not shown completely" : undefined,
  });
}

/** On a terminal `submit` presses Enter; elsewhere it ends the input. */
function typedBy(given: GivenInput, pty: boolean): string {
  const { data, text: pasted } = given;
  switch (given.action) {
    case "write":
      return data ?? "";
    case "submit":
      return pty ? `${data ?? ""}\r` : (data ?? "");
    case "paste":
      return pasted ?? "";
    case "send-keys":
      return Buffer.concat(encodeInput(given, PLAIN_KEYS).parts).toString();
  }
}

/** For a command without a plan, or of an ended host. */
async function findOut(workspace: Workspace, { info, shell }: CommandSession): Promise<string | undefined> {
  if (info.command.length >= MAX_COMMAND) return "it is too long to be checked";
  try {
    const { command, cwd, pty } = info;
    return (await planCommand(workspace, { text: command, shell, workdir: cwd, pty })).data.takesCode;
  } catch (thrown) {
    return `its program cannot be checked any more (${getErrorMessage(thrown)})`;
  }
}

function showInput(
  { id, info }: CommandSession,
  given: GivenInput,
  typed: string,
  takesCode: string,
): string {
  const { keys = [], eof, action } = given;
  const ends = eof === true || (action === "submit" && !info.pty);
  return [
    `Types into: ${id}, in ${toSingleLine(info.cwd)}`,
    `Its command:\n${toCodeFence("sh", cut(info.command, MAX_COMMAND))}`,
    `It can run input as code: ${toSingleLine(takesCode)}.`,
    `Input:\n${toCodeFence("", cut(typed, MAX_SHOWN))}`,
    ...(keys.length === 0 ? [] : [`Keys in it: ${toSingleLine(keys.join(" "))}`]),
    ...(ends ? ["Then its input is closed."] : []),
  ].join("\n");
}

function cut(value: string, most: number): string {
  if (value.length <= most) return value;
  const [start, end] = [value.slice(0, most * 0.75), value.slice(-most * 0.25)];
  const left = value.length - start.length - end.length;
  return `${start.toWellFormed()}\n… ${left} hidden characters …\n${end.toWellFormed()}`;
}
