import { normalizeHost } from "@haft/utils";
import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import type { Call, ResolvedCall } from "../call.ts";
import { isRedirect, followRedirect } from "./follow-redirect.ts";
import type { Network, NetworkAnswer } from "./network-port.ts";
import { type FetchInit, type OutgoingRequest, readInput, readOutgoingRequest } from "./outgoing-request.ts";
import { permitHost } from "./permit-host.ts";
import { RequestLease, readRequestLimits } from "./request-lease.ts";
import { toResponse } from "./response.ts";

const MAX_REDIRECTS = 20;
const MAX_NAMED = 64;

export async function fetchForCall(given: Call, input: unknown, options: FetchInit = {}): Promise<Response> {
  const call = checked(given);
  const { address, init } = readInput(input, options);
  const { network } = call.session;
  const lease = new RequestLease(call, readRequestLimits(init));
  try {
    const first = await lease.withTimeout(readOutgoingRequest(address, init));
    return await follow(call, network ?? NONE, first, init.redirect ?? "follow", lease).catch(
      (thrown: unknown) => {
        throw asFailure(thrown, first.url);
      },
    );
  } catch (thrown) {
    lease.end();
    throw lease.getAbortReason(thrown);
  }
}

function checked(call: Call): ResolvedCall {
  if (!call.isResolved() || call.ended)
    throw coreError("FETCH_INVALID", "The call that this context belongs to has ended.", {
      fix: "Report it to the plugin's author: a tool has to wait for all of its requests.",
    });
  const { name, effects } = call.tool.facts;
  if (effects.includes("network")) return call;
  const declared = effects.length === 0 ? "none" : effects.join(", ");
  const message = `${name} declares the effects ${declared} without "network", so it cannot contact hosts.`;
  throw coreError("NETWORK_UNDECLARED", message);
}

async function follow(
  call: ResolvedCall,
  network: Network,
  first: OutgoingRequest,
  mode: NonNullable<FetchInit["redirect"]>,
  lease: RequestLease,
): Promise<Response> {
  let outgoing = first;
  for (let hops = 0; ; hops++) {
    const { url, method, headers, body } = outgoing;
    permitHost(call, normalizeHost(url), hops === 0 ? "" : `, to which ${first.url.host} redirects`);
    lease.signal.throwIfAborted();
    const answering = network.request({
      url: url.href.replace(/#.*$/s, ""),
      method,
      headers: [...headers],
      ...(body !== undefined && { body }),
      signal: lease.signal,
    });
    const answer = await lease.withTimeout(answering).catch((thrown: unknown) => {
      void answering.then(discard).catch(() => {});
      throw thrown;
    });
    note(call, normalizeHost(url));
    const location =
      isRedirect(answer.status) && mode !== "manual"
        ? answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1]
        : undefined;
    if (location === undefined) return toResponse(answer, { url, hops, lease });
    await discard(answer);
    if (mode === "error") throw failed(`${url.host} redirects, which this request does not follow`);
    if (hops === MAX_REDIRECTS) throw failed(`${first.url.host} redirects more than ${MAX_REDIRECTS} times`);
    outgoing = followRedirect(outgoing, answer.status, location);
  }
}

function note({ meta }: ResolvedCall, host: string): void {
  const { hosts = [] } = meta;
  if (hosts.length < MAX_NAMED && !hosts.includes(host)) meta.hosts = [...hosts, host];
}

async function discard({ body }: NetworkAnswer): Promise<void> {
  await body?.[Symbol.asyncIterator]().return?.();
}

function failed(why: string): HaftError {
  return coreError("FETCH_FAILED", `${why}.`);
}

function asFailure(thrown: unknown, { host }: URL): unknown {
  if (HaftError.is(thrown) || (thrown instanceof Error && thrown.name === "AbortError")) return thrown;
  return coreError("FETCH_FAILED", `${host} is unreachable: ${getErrorMessage(thrown)}`, { cause: thrown });
}

const NONE: Network = {
  request: async () => {
    throw coreError("NO_NETWORK", "Tools of this session have no network access.");
  },
};
