import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import type { NetworkAnswer } from "./network-port.ts";
import type { RequestLease } from "./request-lease.ts";

const WITHOUT_BODY = new Set([204, 205, 304]);

export function toResponse(
  answer: NetworkAnswer,
  { url, hops, lease }: { url: URL; hops: number; lease: RequestLease },
): Response {
  const { status } = answer;
  const headers = new Headers();
  for (const [name, value] of answer.headers) {
    try {
      headers.append(name, value);
    } catch {
      // Node accepts some headers that Headers rejects.
    }
  }
  const hasMeaning = status >= 200 && status <= 599;
  const hasBody = hasMeaning && answer.body !== undefined && !WITHOUT_BODY.has(status);
  if (!hasBody) {
    void answer.body?.[Symbol.asyncIterator]().return?.();
    lease.end();
  }
  if (!hasMeaning) throw coreError("FETCH_FAILED", `${url.host} answered with the invalid status ${status}.`);
  const body = hasBody ? bounded(answer.body, url, lease) : null;
  const statusText = /^[\t\x20-\x7e]*$/.test(answer.statusText) ? answer.statusText : "";
  const response = new Response(body, { status, statusText, headers });
  return Object.defineProperties(response, {
    url: { value: url.href.replace(/#.*$/s, "") },
    redirected: { value: hops > 0 },
  });
}

function bounded(
  body: AsyncIterable<Uint8Array>,
  { host }: URL,
  lease: RequestLease,
): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  let size = 0;
  const giveUp = async (): Promise<void> => {
    lease.end();
    await parts.return?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (done === true) {
            lease.end();
            controller.close();
            return;
          }
          size += value.length;
          if (size > lease.maxBytes) throw tooLarge(host, lease.maxBytes);
          controller.enqueue(value);
        } catch (thrown) {
          await giveUp().catch(() => {});
          controller.error(lease.getAbortReason(HaftError.is(thrown) ? thrown : brokenOff(host, thrown)));
        }
      },
      cancel: giveUp,
    },
    { highWaterMark: 0 },
  );
}

function tooLarge(host: string, most: number): HaftError {
  return coreError("BODY_TOO_LARGE", `The decoded response of ${host} has more than ${most} bytes.`);
}

function brokenOff(host: string, thrown: unknown): HaftError {
  return coreError("FETCH_FAILED", `The response of ${host} was cut off: ${getErrorMessage(thrown)}`, {
    cause: thrown,
  });
}
