import type { StreamConfig } from "@nats-io/jetstream";

/** A message of a stream. */
export interface FakeMessage {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** As a server answers: with the number that JetStream gives its errors. */
export class ApiError extends Error {
  override readonly name = "JetStreamApiError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a message is sent with. */
export interface PublishOptions {
  readonly headers?: ReadonlyMap<string, string>;
  /** The place that the last message of its subject has to have; 0: there is none. */
  readonly lastSubjectSequence?: number;
}

interface Reader {
  /** Those there were when it was made, not read yet. */
  readonly seqs: number[];
  readonly fits: (subject: string) => boolean;
  readonly headersOnly: boolean;
  /** Behind which all that fits is read. */
  next: number;
}

/** One stream, in memory. */
export class Stream {
  readonly config: StreamConfig;
  readonly messages = new Map<number, FakeMessage>();
  readonly bySubject = new Map<string, Set<number>>();
  readonly readers = new Map<string, Reader>();
  readonly #now: () => number;
  bytes = 0;
  #last = 0;
  #readers = 0;

  constructor(config: Partial<StreamConfig>, now: () => number) {
    this.#now = now;
    this.config = {
      max_age: 0,
      max_bytes: -1,
      max_msgs: -1,
      max_msgs_per_subject: -1,
      sealed: false,
      num_replicas: 1,
      ...config,
    } as StreamConfig;
  }

  takes(subject: string): boolean {
    return this.config.subjects.some((filter) => fits(filter)(subject));
  }

  /** The place it got. @throws ApiError 10071 where another message is the last, 10077 where there is no room */
  append(
    subject: string,
    data: Uint8Array,
    { headers = NONE, lastSubjectSequence: expected }: PublishOptions = {},
  ): number {
    const before = [...(this.bySubject.get(subject) ?? [])];
    const last = before.at(-1) ?? 0;
    if (expected !== undefined && expected !== last)
      throw new ApiError(10071, `wrong last sequence: ${last}`);
    const { max_bytes: most, max_msgs_per_subject: each } = this.config;
    const size = sizeOf(subject, data, headers, expected);
    const replaces = each > 0 && before.length >= each;
    if (most > 0 && this.bytes + size > most && !replaces)
      throw new ApiError(10077, "maximum bytes exceeded");
    const seq = ++this.#last;
    this.messages.set(seq, { seq, subject, data, headers, time: this.#now() });
    this.bytes += size;
    this.#sizes.set(seq, size);
    const sequences = this.bySubject.get(subject) ?? new Set();
    if (sequences.size === 0) this.#index(subject);
    this.bySubject.set(subject, sequences.add(seq));
    if (each > 0 && sequences.size > each) this.#remove(sequences.values().next().value!);
    return seq;
  }

  readonly #sizes = new Map<number, number>();

  last(subject: string): FakeMessage | undefined {
    const sequences = this.bySubject.get(subject);
    return sequences && this.messages.get([...sequences].at(-1)!);
  }

  /** The first of these subjects from a place on. */
  next(filter: string, from: number): FakeMessage | undefined {
    const seqs = this.#subjects(filter).flatMap((subject) => [...this.bySubject.get(subject)!]);
    const first = Math.min(...seqs.filter((seq) => seq >= from));
    return this.messages.get(first);
  }

  /** How many were removed. @param below those before this place alone; the first is before none, which means all of them */
  purge(filter: string, below = 0): number {
    const doomed = this.#subjects(filter).flatMap((subject) => [...this.bySubject.get(subject)!]);
    const removed = doomed.filter((seq) => below <= 1 || seq < below);
    for (const seq of removed) this.#remove(seq);
    return removed.length;
  }

  /** Bytes and messages, and of these subjects how many there are. */
  state(filter?: string): { messages: number; bytes: number; subjects?: Record<string, number> } {
    const { bytes } = this;
    const messages = this.messages.size;
    if (filter === undefined) return { messages, bytes };
    const subjects = this.#subjects(filter).map((each) => [each, this.bySubject.get(each)!.size] as const);
    return { messages, bytes, subjects: Object.fromEntries(subjects) };
  }

  /** A reader of what fits. */
  read(
    filter: string,
    which: "all" | "last" | "new",
    headersOnly = false,
  ): { name: string; pending: number } {
    const found = which === "new" ? [] : this.#subjects(filter);
    const seqs = found
      .flatMap((subject) => [...this.bySubject.get(subject)!].slice(which === "last" ? -1 : 0))
      .toSorted((a, b) => a - b);
    const name = `reader${++this.#readers}`;
    this.readers.set(name, { seqs, fits: fits(filter), headersOnly, next: this.#last + 1 });
    return { name, pending: seqs.length };
  }

  /** The next messages of a reader, as many as there are. @throws ApiError 10014 */
  fetch(name: string, most: number): FakeMessage[] {
    const reader = this.readers.get(name);
    if (reader === undefined) throw new ApiError(10014, "consumer not found");
    const found: FakeMessage[] = [];
    while (reader.seqs.length > 0 && found.length < most) {
      const message = this.messages.get(reader.seqs.shift()!);
      if (message !== undefined) found.push(message);
    }
    for (; reader.next <= this.#last && found.length < most; reader.next++) {
      const message = this.messages.get(reader.next);
      if (message !== undefined && reader.fits(message.subject)) found.push(message);
    }
    return reader.headersOnly ? found.map((message) => ({ ...message, data: NOTHING })) : found;
  }

  #remove(seq: number): void {
    const { subject } = this.messages.get(seq)!;
    this.messages.delete(seq);
    this.bytes -= this.#sizes.get(seq)!;
    this.#sizes.delete(seq);
    const sequences = this.bySubject.get(subject)!;
    sequences.delete(seq);
    if (sequences.size > 0) return;
    this.bySubject.delete(subject);
    this.#byParent.get(parentOf(subject))!.delete(subject);
  }

  /** Subjects by all of their words but the last: most are asked for so. */
  readonly #byParent = new Map<string, Set<string>>();

  #index(subject: string): void {
    const parent = parentOf(subject);
    const children = this.#byParent.get(parent) ?? new Set();
    this.#byParent.set(parent, children.add(subject));
  }

  #subjects(filter: string): string[] {
    const wild = filter.search(/[*>]/);
    if (wild < 0) return this.bySubject.has(filter) ? [filter] : [];
    if (wild === filter.length - 1 && filter.endsWith(".*"))
      return [...(this.#byParent.get(parentOf(filter)) ?? [])];
    const before = filter.slice(0, wild);
    const isFit = fits(filter);
    return [...this.bySubject.keys()].filter((subject) => subject.startsWith(before) && isFit(subject));
  }
}

const NOTHING = new Uint8Array();
const NONE: ReadonlyMap<string, string> = new Map();

function parentOf(subject: string): string {
  return subject.slice(0, subject.lastIndexOf("."));
}

/** Bytes that a file of the server has for a message. */
function sizeOf(
  subject: string,
  data: Uint8Array,
  headers: ReadonlyMap<string, string>,
  expected: number | undefined,
): number {
  let header = 0;
  for (const [name, value] of headers) header += name.length + value.length + 4;
  if (expected !== undefined)
    header += "Nats-Expected-Last-Subject-Sequence".length + `${expected}`.length + 4;
  if (header > 0) header += "NATS/1.0\r\n\r\n".length + 4;
  return 22 + subject.length + header + data.length + 8;
}

/** Whether subjects fit a filter, `*` for one word and `>` for all that are left. */
function fits(filter: string): (subject: string) => boolean {
  const known = patterns.get(filter);
  if (known !== undefined) return known;
  const source = filter
    .split(".")
    .map((word) => (word === "*" ? "[^.]+" : word === ">" ? ".+" : word.replaceAll("$", String.raw`\$`)));
  const pattern = new RegExp(`^${source.join(String.raw`\.`)}$`);
  const isFit = (subject: string) => pattern.test(subject);
  if (patterns.size > 1_000) patterns.clear();
  patterns.set(filter, isFit);
  return isFit;
}

const patterns = new Map<string, (subject: string) => boolean>();
