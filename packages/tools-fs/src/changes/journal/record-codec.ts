import type { ProcessIdentity } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import type { Splice } from "../text/splice.ts";
import { getStepPaths, type StepMark, type TransactionRecord, type TransactionStep } from "./transaction.ts";

const MAGIC = "haft-transaction 1";

interface Header extends Omit<TransactionRecord, "steps" | "done"> {
  owner: { pid: number; started: string };
  steps: readonly unknown[];
  blobBytes: number;
}

/** Encodes a magic line, a line of JSON, and all bytes that it refers to. Marks of steps follow later, one per line. */
export function encodeRecord(record: TransactionRecord, owner: ProcessIdentity): Uint8Array[] {
  const blobs: Uint8Array[] = [];
  let blobBytes = 0;
  const store = (bytes: Uint8Array): [offset: number, length: number] => {
    const range: [number, number] = [blobBytes, bytes.length];
    blobs.push(bytes);
    blobBytes += bytes.length;
    return range;
  };
  const steps = record.steps.map((step) => {
    if (step.kind === "rename") return step;
    if (step.kind === "remove") return { ...step, bytes: store(step.bytes) };
    return { ...step, back: step.back.map(({ start, end, bytes }) => [start, end, ...store(bytes)]) };
  });
  const { id, at, scope, by, undoes, folders } = record;
  const written = { pid: owner.pid, started: owner.started === 0 ? "" : String(owner.started) };
  const header: Header = withoutUndefined({
    id,
    at,
    scope,
    by,
    undoes,
    owner: written,
    folders,
    steps,
    blobBytes,
  });
  return [Buffer.from(`${MAGIC}\n${JSON.stringify(header)}\n`), ...blobs];
}

export interface RecordHeader {
  record: Omit<TransactionRecord, "steps">;
  owner: ProcessIdentity;
  paths: string[];
  size: number;
}

/** Returns `undefined` for an invalid header, `"longer"` if more bytes are needed. */
export function decodeHeader(bytes: Buffer): RecordHeader | "longer" | undefined {
  const parsed = parseHeader(bytes);
  if (parsed === undefined || parsed === "longer") return parsed;
  const { header, headerBytes } = parsed;
  const { id, at, scope, by, undoes, folders } = header;
  const paths = [
    ...new Set((header.steps as EncodedStep[]).flatMap((step) => getStepPaths(step as TransactionStep))),
  ];
  const owner = { pid: header.owner.pid, started: Number(header.owner.started) };
  const record = withoutUndefined<RecordHeader["record"]>({ id, at, scope, by, undoes, folders });
  return { record, owner, paths, size: headerBytes + header.blobBytes };
}

export function decodeRecord(bytes: Buffer): { record: TransactionRecord } | undefined {
  const parsed = parseHeader(bytes);
  if (parsed === undefined || parsed === "longer") return undefined;
  const { header, headerBytes } = parsed;
  const blobs = bytes.subarray(headerBytes, headerBytes + header.blobBytes);
  if (blobs.length !== header.blobBytes) return undefined;
  const done = decodeMarks(bytes.subarray(headerBytes + header.blobBytes));
  const steps = header.steps.map((step) => decodeStep(step as EncodedStep, blobs));
  const { id, at, scope, by, undoes, folders } = header;
  return { record: withoutUndefined({ id, at, scope, by, undoes, folders, steps, done }) };
}

export function encodeMark(mark: StepMark): string {
  return `${JSON.stringify(mark)}\n`;
}

/** Reads up to the first incomplete line, which a crash may cause. */
function decodeMarks(bytes: Buffer): StepMark[] {
  const marks: StepMark[] = [];
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  for (const line of lines) {
    const mark = parseMark(line);
    if (mark === undefined) break;
    marks.push(mark);
  }
  return marks;
}

function parseMark(line: string): StepMark | undefined {
  try {
    const mark = JSON.parse(line) as unknown;
    return typeof mark === "string" || mark === null ? mark : undefined;
  } catch {
    return undefined;
  }
}

function parseHeader(bytes: Buffer): { header: Header; headerBytes: number } | "longer" | undefined {
  const first = bytes.indexOf(10);
  if (first < 0 || bytes.toString("latin1", 0, first) !== MAGIC) return undefined;
  const second = bytes.indexOf(10, first + 1);
  if (second < 0) return "longer";
  try {
    const header = JSON.parse(bytes.toString("utf8", first + 1, second)) as Header;
    return Array.isArray(header.steps) ? { header, headerBytes: second + 1 } : undefined;
  } catch {
    return undefined;
  }
}

type EncodedStep =
  | (Omit<Extract<TransactionStep, { kind: "write" }>, "back"> & { back: [number, number, number, number][] })
  | (Omit<Extract<TransactionStep, { kind: "remove" }>, "bytes"> & { bytes: [number, number] })
  | Extract<TransactionStep, { kind: "rename" }>;

function decodeStep(step: EncodedStep, blobs: Buffer): TransactionStep {
  if (step.kind === "rename") return step;
  if (step.kind === "remove") {
    const [offset, length] = step.bytes;
    return { ...step, bytes: blobs.subarray(offset, offset + length) };
  }
  const back = step.back.map(([start, end, offset, length]): Splice => ({
    start,
    end,
    bytes: blobs.subarray(offset, offset + length),
  }));
  return { ...step, back };
}
