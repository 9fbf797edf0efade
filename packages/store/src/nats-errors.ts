import type { EffectReceipt, ErrorCategory, ErrorFacts } from "@haft/core";

type By = Readonly<
  Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
>;

export const natsErrors = (by: By) => ({
  LEDGER_UNAVAILABLE: { category: "operational" } satisfies ErrorFacts,
  NATS_CLIENT_MISSING: by.operational(
    "The libraries that talk to a NATS server are not installed; a store on one needs them.",
    "Run `npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv` beside @haft/store.",
  ),
  NATS_FAILED: by.operational(
    "The NATS server did not do what the store needs, or did not answer in time. Where something was to be kept, it counts as not kept.",
    "Look at the server and at the way to it, then try again.",
  ),
  NATS_FORBIDDEN: by.operational(
    "The NATS server does not let this host in, or does not allow it a subject; the message says which.",
    "Correct the credentials, or give the host's user the permissions that the guide lists.",
  ),
  NATS_JETSTREAM_MISSING: by.operational(
    "The NATS server has no JetStream, or this account may not use it: nothing can be kept there.",
    "Start the server with `jetstream {}` in its configuration (or `-js`), and give the account JetStream.",
  ),
  NATS_OPTIONS_INVALID: by.input(
    "An option of the NATS store cannot be used; the message says which.",
    "Correct it.",
  ),
  NATS_STREAM_UNFIT: by.operational(
    "A stream of this name is on the server, but set up so that it would lose or refuse what the store keeps.",
    "Change the stream as the message says, or use another `prefix`.",
  ),
  NATS_UNREACHABLE: by.operational(
    "No NATS server was reached. Nothing was opened.",
    "Start the server, or correct `servers`; then try again.",
  ),
  RECORD_CHANGED: by.operational(
    "What was to be kept for all hosts was changed by another host meanwhile. What that one wrote counts.",
    "Look at it again, and decide again.",
  ),
  QUERY_TOO_WIDE: by.input(
    "A NATS store has no index for this question, and answering it would read more than it may at once.",
    "Name a session or a run.",
  ),
});
