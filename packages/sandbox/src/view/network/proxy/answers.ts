import { getErrorMessage } from "@haft/core";
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Permit } from "./permit.ts";
import { type Target, formatTarget } from "./target.ts";

export interface Answer {
  status: number;
  text: string;
}

export const MALFORMED: Answer = {
  status: 400,
  text: "This proxy does not support the request. Supported: CONNECT host:port, or http://host/path, with a plain host name or address and without a user.",
};
export const TOO_MANY: Answer = {
  status: 503,
  text: "This session has reached the limit of concurrent connections. Wait until some have ended.",
};

const PLAIN_TEXT = { "Content-Type": "text/plain; charset=utf-8", Connection: "close" };

export function answerFor(target: Target, permitted: Exclude<Permit, { addresses: unknown }>): Answer {
  if ("refusal" in permitted) return { status: 403, text: permitted.refusal.message };
  const { unresolved } = permitted;
  const text = `${formatTarget(target)} was not reached: its name could not be resolved (${unresolved}).`;
  return { status: 502, text };
}

export function unreachableAnswer(target: Target, thrown: unknown): Answer {
  const { code } = thrown as NodeJS.ErrnoException;
  return {
    status: 502,
    text: `${formatTarget(target)} was not reached: ${code ?? getErrorMessage(thrown)}.`,
  };
}

export function answerClient(response: ServerResponse, { status, text }: Answer): void {
  if (response.headersSent) return;
  const body = `${text}\n`;
  const headers = { ...PLAIN_TEXT, "Content-Length": Buffer.byteLength(body) };
  response.writeHead(status, firstLine(text), headers).end(body);
}

export function answerAndEnd(client: Duplex, { status, text }: Answer): void {
  if (!client.writable) return;
  const body = `${text}\n`;
  client.end(
    [
      `HTTP/1.1 ${status} ${firstLine(text)}`,
      ...Object.entries(PLAIN_TEXT).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
    () => client.destroy(),
  );
}

export function answerBroken(error: NodeJS.ErrnoException, client: Duplex): void {
  const status = BROKEN[error.code ?? ""] ?? 400;
  answerAndEnd(client, status === 400 ? MALFORMED : { status, text: REASON[status]! });
}

const BROKEN: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const REASON: Readonly<Record<number, string>> = {
  408: "The head of the request did not arrive in time.",
  431: "The head of the request is too large for this proxy.",
};

function firstLine(text: string): string {
  return text.replace(/[^ -~]/g, "?");
}
