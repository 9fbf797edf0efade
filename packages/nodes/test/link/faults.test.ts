import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { Type } from "@haft/plugin-sdk";
import { expect } from "vitest";
import { type BusMessage, defineNodeCommand } from "../../src/index.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, approveTestNode, serveTestNode } from "../support/test-nodes.ts";

const TIMES = { aliveMs: 1_000, pollMs: 20, retryMs: 10, transitMs: 60, stopMs: 100, checkMs: 500 };
const CALLS = 8;

/** What becomes of one message after the other, over and over. */
const fate = fc.constantFrom<"arrives" | "is lost" | "comes twice" | "is late">(
  "arrives",
  "arrives",
  "arrives",
  "is lost",
  "comes twice",
  "is late",
);

test.prop(
  [
    fc.array(fate, { minLength: 1, maxLength: 40 }),
    fc.array(fc.nat(40), { minLength: CALLS, maxLength: CALLS }),
  ],
  {
    numRuns: 12,
  },
)(
  "with lost, duplicated and delayed messages, no call runs twice and every receipt is true",
  async (fates, takes) => {
    const server = createBroker();
    const ran: number[] = [];
    const work = defineNodeCommand({
      name: "work.do",
      description: "Takes its time.",
      parameters: Type.Object({ call: Type.Integer(), ms: Type.Integer() }),
      effects: ["write"],
      async run({ call, ms }) {
        ran.push(call);
        await new Promise((resolve) => setTimeout(resolve, ms));
        return { content: [{ type: "text", text: `${call}` }], details: {} };
      },
    });
    const kitchen = await serveTestNode(server.connect(), [work]);
    const desk = createTestHost(server.connect(), { times: TIMES });
    await approveTestNode(desk, kitchen);
    let at = 0;
    server.intercept = (message: BusMessage) => {
      switch (fates[at++ % fates.length]!) {
        case "is lost":
          return [];
        case "comes twice":
          return [message, message];
        case "is late":
          setTimeout(() => server.publish(message), 30);
          return [];
        case "arrives":
          return [message];
      }
    };
    const target = desk.nodes.resolve({ command: "work.do" });
    const ends = await Promise.all(
      takes.map(async (ms, call) => {
        try {
          const { content } = await desk.nodes.invoke({ target, params: { call, ms }, timeoutMs: 150 });
          expect(content).toEqual([{ type: "text", text: `${call}` }]);
          return "ran";
        } catch (thrown) {
          if (!HaftError.is(thrown)) throw thrown;
          return thrown.receipt;
        }
      }),
    );
    // Whatever was under way is there by now, or never.
    server.intercept = (message) => [message];
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const [call, end] of ends.entries()) {
      const times = ran.filter((each) => each === call).length;
      if (end === "ran") expect(times).toBe(1);
      else if (end === "none") expect(times).toBe(0);
      else expect(times).toBeLessThanOrEqual(1);
    }
  },
);
