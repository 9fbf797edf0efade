import type { ChatHost } from "@haft/chat";
import { chatsFolder } from "@haft/config/internal/boundary";
import type { ApprovalRequestRecord } from "@haft/core";
import type { CallExplanation, Session } from "@haft/core/kernel";
import type { HostSessionOptions, Host } from "@haft/host";
import { formatCallLine } from "@haft/host/internal/approvals";
import type { SessionContainment } from "@haft/host/internal/contained";
import { formatAnswerCommand } from "../approvals/describe-request.ts";
import type { Terminal } from "../approvals/find-terminal.ts";
import { askOnTerminal } from "../approvals/terminal-approver.ts";
import { followCall, toOutputStreams } from "../call/live-call.ts";
import { StatusLine } from "../call/status-line.ts";
import { describeView } from "../describe-view.ts";
import { readStateValue } from "../location/state-value.ts";
import { openResumed, type ResumeValues, reportResume } from "../run/resume.ts";
import { reportStoreRecovery } from "../stderr-logger.ts";
import { describeSession } from "../tools/describe-session.ts";
import { describeRewind } from "../undo/describe-rewind.ts";
import { chatCommand, chatCommandWords } from "./chat-command.ts";
import type { OperatorChatSettings } from "./chat-settings.ts";

export interface ChatValues extends ResumeValues {
  "base-url"?: string;
  "key-env"?: string;
  "no-keep"?: boolean;
}

export interface ChatParts {
  host: Host;
  session: HostSessionOptions;
  values: ChatValues;
  operator: OperatorChatSettings;
  maxSteps: number | undefined;
  stallSeconds: number | undefined;
  terminal: Terminal | undefined;
}

export function chatHost({
  host,
  session: sessionOptions,
  values,
  operator,
  maxSteps,
  stallSeconds,
  terminal,
}: ChatParts): ChatHost {
  const wanted = { ...sessionOptions, openedWith: chatCommandWords(sessionOptions.openedWith, values) };
  const { chat } = operator;
  const isStored = operator.storesConversations && values["no-keep"] !== true;
  const seconds = stallSeconds ?? chat.timeoutSeconds;
  const { status } = toOutputStreams(process);
  return {
    model: {
      model: wanted.model?.name ?? chat.model ?? operator.modelName,
      baseUrl: values["base-url"],
      keyEnv: values["key-env"],
      providers: chat.providers && providersOf(chat.providers),
    },
    contextTokens: wanted.model?.contextTokens ?? operator.contextTokens,
    maxSteps: maxSteps ?? chat.maxSteps,
    stallMs: seconds === undefined ? undefined : seconds * 1_000,
    location: host.workspace.describe().cwd,
    sessionKey: wanted.sessionKey ?? "",
    folder: isStored ? chatsFolder(readStateValue(values.state)) : undefined,
    keepDays: operator.keepDays,
    keepBytes: operator.keepBytes,
    async openSession(resume) {
      const options = resume === undefined ? wanted : { ...wanted, resume };
      const session = await openResumed(host, options, values);
      reportStoreRecovery(session);
      if (resume !== undefined) await reportResume(session);
      return session;
    },
    close: () => host.close(),
    ...(terminal && { ask: (request, { signal, why }) => askOnTerminal(terminal, request, signal, why) }),
    follow: (session, { toolCallId, toolName }, output) =>
      followCall(session, toolName, { output, status }, toolCallId),
    ...(status && { status: (name: string) => new StatusLine(status, name) }),
    summarizeCall: formatCallLine,
    explain: async (session, toolName, args) =>
      explained(await session.explain(toolName, args), await host.containment(wanted), args === undefined),
    explainApproval: async (session, request) =>
      explained(await explainRequest(session, request), await host.containment(wanted), false),
    describeRewind: (report) => describeRewind(report, true),
    answerCommand: formatAnswerCommand,
    resumeCommand: (runId) => chatCommand(runId, wanted.openedWith),
    describeCommands: async () =>
      wanted.kind === "sandboxed" || wanted.sandbox !== undefined
        ? "Commands run in the sandbox of the session."
        : describeCommands(await host.containment(wanted)),
    describeTools: async (session) => describeSession(session, await host.containment(wanted)),
  };
}

function describeCommands(containment: SessionContainment): string {
  const view = describeView(containment);
  return `Commands are ${view.replace(/\.$/, "")}. Rules about exec change this (haft chat --help).`;
}

function providersOf(providers: NonNullable<OperatorChatSettings["chat"]["providers"]>) {
  return Object.fromEntries(
    Object.entries(providers).map(([name, { api, baseUrl, key }]) => [
      name,
      { baseUrl, ...(api && { api }), ...(key && { keyEnv: key.env }) },
    ]),
  );
}

async function explained(
  explanation: CallExplanation,
  containment: SessionContainment,
  ofTool: boolean,
): Promise<string> {
  const { formatCallExplanation } = await import("../explain/explain.ts");
  return formatCallExplanation(explanation, { containment, network: undefined }, ofTool);
}

/** Without steps after policy: the repeated call would duplicate itself. */
async function explainRequest(session: Session, request: ApprovalRequestRecord): Promise<CallExplanation> {
  const { tool, args, reason } = request;
  const explanation = await session.explain(tool.name, args);
  const { call, fix: _fix, code: _code, ...rest } = explanation;
  const trace = explanation.trace.filter(({ stage }) => stage !== "loop" && stage !== "approval");
  const deciding = trace.findLast(({ verdict }) => verdict === "ask");
  return {
    ...rest,
    ...(call && { call }),
    ...(call?.fix !== undefined && { fix: call.fix }),
    verdict: "asks",
    reason,
    trace: trace.map((step) => ({ ...step, decided: step === deciding })),
  };
}
