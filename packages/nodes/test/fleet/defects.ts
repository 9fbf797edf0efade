import { Recorder } from "../../../core/test/support/recorder.ts";
import { NatsLease, Link, RunsBucket } from "../../../store/test/nats/support/internals.ts";
import type { Answer } from "../../src/contract/invocation.ts";
import { HostLink } from "../../src/link/host-link.ts";
import { NodeLinks } from "../../src/link/serve-node.ts";
import { StallClock } from "../../src/link/stall-clock.ts";
import { AnswerCache } from "../../src/node/answer-cache.ts";

/** Puts something else in the place of a method. Answers how to put it back. */
function instead<T extends object, K extends keyof T>(
  of: T,
  name: K,
  make: (real: T[K]) => T[K],
): () => void {
  const real = of[name];
  of[name] = make(real);
  return () => void (of[name] = real);
}

const both =
  (...ends: (() => void)[]) =>
  () => {
    for (const end of ends) end();
  };

const ignore = () => {};

const sequencesUnchecked = () =>
  instead(
    NodeLinks.prototype,
    "add",
    (real) =>
      function add(this: NodeLinks, end) {
        Object.defineProperty(end, "heard", { get: () => 0, set: ignore });
        real.call(this, end);
      },
  );

const nothingRemembered = () => instead(AnswerCache.prototype, "find", () => () => undefined);

const refusalsForgotten = () =>
  instead(
    AnswerCache.prototype,
    "end",
    (real) =>
      function end(this: AnswerCache, key, answer, bytes) {
        if (codeOf(answer) !== "NODE_NOT_DELIVERED") real.call(this, key, answer, bytes);
      },
  );

/** Something that the simulation has to notice. */
export interface Defect {
  /** Answers how it is mended. */
  plant(): () => void;
  /** A seed that shows it, where most do not. Another one does once what they draw has changed. */
  readonly from?: number;
  /** Something else holds what it would break, and that is all that is said of it. */
  readonly isHarmless?: true;
}

/**
 * What the checks are there for, each left out or done wrong: the simulation has to notice.
 */
export const defects: Readonly<Record<string, Defect>> = {
  "a lease is not checked before an effect": {
    plant: () => instead(NatsLease.prototype, "check", () => () => undefined),
  },
  "a lease is given up only once the server has answered": {
    from: 19,
    plant: () =>
      instead(
        NatsLease.prototype,
        "release",
        (real) =>
          async function release(this: NatsLease, closedAt) {
            const lose = this.lose.bind(this);
            this.lose = () => undefined;
            await real.call(this, closedAt).finally(() => lose("it was closed here"));
          },
      ),
  },
  "calls are written without saying which they follow": {
    from: 106,
    plant: () =>
      instead(
        Link.prototype,
        "ask",
        (real) =>
          function ask(this: Link, doing, request) {
            const { js } = this;
            js.publish = unconditional(js.publish);
            return real.call(this, doing, request) as never;
          },
      ),
  },
  "a run is taken whatever was seen of it": {
    from: 16,
    plant: () =>
      instead(
        RunsBucket.prototype,
        "put",
        (real) =>
          async function put(this: RunsBucket, stored, seen) {
            const now = await this.get(stored.run);
            return await real.call(this, stored, now?.revision ?? seen);
          },
      ),
  },
  "two hosts begin one session, and neither looks": {
    plant: () => instead(RunsBucket.prototype, "listLatest", () => async () => []),
  },
  "an effect begins before it is recorded": {
    plant: () => instead(Recorder.prototype, "recordStart", () => () => undefined),
  },
  "what was asked about and never came may begin later, and messages are taken in any order": {
    plant: () => both(refusalsForgotten(), sequencesUnchecked()),
  },
  "a call is sent again where its outcome is unknown": {
    plant: () =>
      instead(
        HostLink.prototype,
        "invoke",
        (real) =>
          async function invoke(this: HostLink, invocation, options) {
            try {
              return await real.call(this, invocation, options);
            } catch {
              const id = `${invocation.id}again`;
              return await real.call(this, { ...invocation, id }, options);
            }
          },
      ),
  },
  "a node remembers no invocation": { plant: nothingRemembered },
  "a node remembers none, and takes messages in any order": {
    plant: () => both(sequencesUnchecked(), nothingRemembered()),
  },
  // The ids of invocations are remembered: what comes twice does nothing twice.
  "a node takes messages in any order": { plant: sequencesUnchecked, isHarmless: true },
  // What comes after what was asked about it is out of order, and not taken.
  "what was asked about and never came may begin later": { plant: refusalsForgotten, isHarmless: true },
  // Whoever called has given it up by then, and was told that the outcome is unknown.
  "what waited in a node that was stopped begins late": {
    plant: () => instead(StallClock.prototype, "waitedMs", () => () => 0),
    isHarmless: true,
  },
};

function codeOf(answer: Answer): string {
  return answer.ok ? "" : answer.error.code;
}

type Publish = Link["js"]["publish"];
const made = new WeakSet<Publish>();

function unconditional(publish: Publish): Publish {
  if (made.has(publish)) return publish;
  const other: Publish = (subject, data, options) => {
    const { expect: _, ...rest } = options ?? {};
    return publish(subject, data, rest);
  };
  made.add(other);
  return other;
}
