import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { connectTo } from "../../src/nats/connection/connect.ts";
import { ensureStreams } from "../../src/nats/connection/ensure-streams.ts";
import type { Link } from "../../src/nats/connection/link.ts";
import { createNatsNames } from "../../src/nats/connection/names.ts";
import { readMessages } from "../../src/nats/connection/read-messages.ts";
import { bootClock } from "../../src/nats/connection/server-clock.ts";
import { createDirectWire, createFakeLink } from "./fake-server/link.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { freshPrefix } from "./support/two-stores.ts";

const BYTES = 1_000_000;
const KEYS = ["one.run", "one.other", "two.run"];
const LOGS = ["one.a.log", "one.a.part", "two.b.log"];

type Expected = "nothing" | "right" | "none" | "wrong";
const expected = fc.constantFrom<Expected>("nothing", "right", "right", "none", "wrong");
const key = fc.constantFrom(...KEYS);
const log = fc.constantFrom(...LOGS);

/** One thing that somebody asks of a server. */
const step = fc.oneof(
  fc.record({ do: fc.constant("publish" as const), log, expected, size: fc.constantFrom(0, 10, 400_000) }),
  fc.record({ do: fc.constant("put" as const), key, expected }),
  fc.record({ do: fc.constant("create" as const), key }),
  fc.record({ do: fc.constant("update" as const), key, expected }),
  fc.record({ do: fc.constant("delete" as const), key, expected }),
  fc.record({ do: fc.constant("get" as const), key }),
  fc.record({ do: fc.constant("message" as const), seq: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant("last" as const), log }),
  fc.record({
    do: fc.constant("next" as const),
    seq: fc.integer({ min: 1, max: 12 }),
    log: fc.constantFrom(...LOGS, "one.a.*"),
  }),
  fc.record({
    do: fc.constant("purge" as const),
    log: fc.constantFrom(...LOGS, "one.a.*", "*.*.log"),
    below: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  }),
  fc.record({ do: fc.constant("forget" as const), key: fc.constantFrom(...KEYS, "one.*") }),
  fc.record({
    do: fc.constant("read" as const),
    from: fc.constantFrom("runs", "ledger"),
    filter: fc.constantFrom("*.*", "one.*", "*.run"),
    last: fc.boolean(),
    headersOnly: fc.boolean(),
  }),
  fc.record({ do: fc.constant("look" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The same asked of any server; what it answers, or the number of its error. */
async function ask(link: Link, given: Step, last: (of: string) => number): Promise<unknown> {
  const { names, js, jsm, runs } = link;
  const subject = (of: string) => `${names.everything.slice(0, -1)}${of}`;
  const seqOf = (what: string, which: Expected): number | undefined =>
    which === "nothing" ? undefined : which === "none" ? 0 : last(what) + (which === "wrong" ? 7 : 0);
  switch (given.do) {
    case "publish": {
      const headers = link.client.transport.headers();
      headers.set("Haft-Holder", "somebody");
      const seq = seqOf(given.log, given.expected);
      const expect = seq === undefined ? {} : { expect: { lastSubjectSequence: seq } };
      const ack = await js.publish(subject(given.log), Buffer.alloc(given.size, "x"), { headers, ...expect });
      return ack.seq;
    }
    case "put": {
      const previousSeq = seqOf(given.key, given.expected);
      return await runs.put(given.key, "put", previousSeq === undefined ? {} : { previousSeq });
    }
    case "create":
      return await runs.create(given.key, "created");
    case "update":
      return await runs.update(given.key, "updated", seqOf(given.key, given.expected) ?? 0);
    case "delete": {
      const previousSeq = seqOf(given.key, given.expected);
      return await runs.delete(given.key, previousSeq === undefined ? {} : { previousSeq });
    }
    case "get": {
      const entry = await runs.get(given.key);
      return entry && { ...entryOf(entry), created: entry.created instanceof Date };
    }
    case "message":
      return messageOf(await jsm.streams.getMessage(names.ledger, { seq: given.seq }), names.ledger);
    case "last":
      return messageOf(
        await jsm.streams.getMessage(names.ledger, { last_by_subj: subject(given.log) }),
        names.ledger,
      );
    case "next": {
      const next = { seq: given.seq, next_by_subj: subject(given.log) };
      return messageOf(await jsm.streams.getMessage(names.ledger, next), names.ledger);
    }
    case "purge": {
      const { below } = given;
      const filter = subject(given.log);
      return (await jsm.streams.purge(names.ledger, { filter, ...(below !== undefined && { seq: below }) }))
        .purged;
    }
    case "forget":
      return (await jsm.streams.purge(`KV_${names.runs}`, { filter: `$KV.${names.runs}.${given.key}` }))
        .purged;
    case "read": {
      const { from, filter, last: isLast, headersOnly } = given;
      const [stream, all] =
        from === "runs"
          ? [`KV_${names.runs}`, `$KV.${names.runs}.${filter}`]
          : [names.ledger, subject(`${filter}.*`)];
      const found = await readMessages(link, stream, all, { last: isLast, headersOnly });
      return found.map(({ subject: at, seq, data, header }) => [
        withoutPrefix(at, names.ledger),
        seq,
        data.length,
        header("Haft-Holder"),
        header("KV-Operation"),
      ]);
    }
    case "look": {
      const { state } = await jsm.streams.info(names.ledger, { subjects_filter: names.everything });
      const subjects = Object.entries(state.subjects ?? {}).map(
        ([at, count]) => `${withoutPrefix(at, names.ledger)} ${count}`,
      );
      return [state.messages, state.bytes, subjects.toSorted((a, b) => a.localeCompare(b))];
    }
  }
}

interface Entry {
  readonly key: string;
  readonly revision: number;
  readonly operation: string;
  readonly value: Uint8Array;
}

function entryOf({ key: of, revision, operation, value }: Entry): object {
  return { key: of, revision, operation, value: new TextDecoder().decode(value) };
}

function messageOf(
  found: { seq: number; subject: string; data: Uint8Array; header: { get(name: string): string } } | null,
  ledger: string,
) {
  return (
    found && [
      found.seq,
      withoutPrefix(found.subject, ledger),
      found.data.length,
      found.header.get("Haft-Holder"),
    ]
  );
}

function withoutPrefix(subject: string, ledger: string): string {
  return subject.replace(ledger.replace("_ledger", ""), "");
}

async function answerOf(answering: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await answering };
  } catch (thrown) {
    const { code, name } = thrown as { code?: unknown; name: string };
    return { failed: typeof code === "number" ? code : name };
  }
}

describe.skipIf(NATS_SERVER === undefined)("the fake server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  test.prop([fc.array(step, { minLength: 5, maxLength: 60, size: "max" })], { numRuns: 25 })(
    "answers every request like a real server",
    async (steps) => {
      const prefix = freshPrefix();
      const real = await connectTo({ servers: server.url }, createNatsNames(prefix), bootClock, undefined);
      try {
        await ensureStreams(real, { replicas: 1, bytes: BYTES / 2 });
        const model = createFakeLink(createDirectWire(), bootClock, prefix);
        await ensureStreams(model, { replicas: 1, bytes: BYTES / 2 });
        const answers = [await watchOf(real), await watchOf(model)];
        const sequences = new Map<string, number>();
        for (const [at, given] of steps.entries()) {
          const last = (of: string) => sequences.get(of) ?? 0;
          const [expected, ours] = [
            await answerOf(ask(real, given, last)),
            await answerOf(ask(model, given, last)),
          ];
          expect(ours, `step ${at}: ${JSON.stringify(given)}`).toEqual(expected);
          // What is replaced or purged before it was delivered is delivered nobody, by a server that is busy.
          await until("the real one told of it", () => answers[0]!.length >= answers[1]!.length);
          const { answer } = ours as { answer?: unknown };
          if (typeof answer === "number" && "log" in given && given.do === "publish")
            sequences.set(given.log, answer);
          if (typeof answer === "number" && "key" in given && given.do !== "forget")
            sequences.set(given.key, answer);
        }
        expect(answers[1]).toEqual(answers[0]);
      } finally {
        await real.close();
      }
    },
  );
});

/** All that is heard of the keys. */
async function watchOf(link: Link): Promise<object[]> {
  const received: object[] = [];
  const changes = await link.runs.watch({ key: "one.*" });
  void (async () => {
    for await (const change of changes) received.push(entryOf(change));
  })();
  return received;
}
