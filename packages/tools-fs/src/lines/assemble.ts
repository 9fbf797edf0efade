/**
 * A WebAssembly assembler just large enough for {@link ./scanner-source.ts}: flat instruction
 * listings with named locals in, a module's bytes out. It keeps the scanner readable in the
 * repository: there is no binary to trust and no build step to run.
 */

/** One exported function: `parameters` are i32, it returns one i32. */
export interface AssemblyFunction {
  name: string;
  parameters: readonly string[];
  locals: Readonly<Record<string, "i32" | "v128">>;
  /** Mnemonics, `$locals` and integers, separated by white space; `;;` starts a comment. */
  body: string;
}

const I32 = 0x7f;
const V128 = 0x7b;
const SIMD = 0xfd;

/** Mnemonic → encoded opcode, including the fixed immediates that this module needs. */
const OPCODES: Readonly<Record<string, readonly number[]>> = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  br: [0x0c],
  br_if: [0x0d],
  return: [0x0f],
  "local.get": [0x20],
  "local.set": [0x21],
  "local.tee": [0x22],
  "i32.const": [0x41],
  "i32.eqz": [0x45],
  "i32.lt_s": [0x48],
  "i32.gt_s": [0x4a],
  "i32.ge_s": [0x4e],
  "i32.ctz": [0x68],
  "i32.popcnt": [0x69],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i32.and": [0x71],
  "i32.shl": [0x74],
  // Alignment is only a hint; 0 promises nothing. The offset follows as an operand.
  "v128.load": [SIMD, 0x00, 0x00],
  "i8x16.splat": [SIMD, 0x0f],
  "i32x4.extract_lane": [SIMD, 0x1b],
  "i8x16.eq": [SIMD, 0x23],
  "i8x16.gt_s": [SIMD, 0x27],
  "i8x16.ge_u": [SIMD, 0x2c],
  "i8x16.bitmask": [SIMD, 0x64],
  "i8x16.add": [SIMD, 0x6e],
  "i8x16.sub": [SIMD, 0x71],
  "i16x8.extadd_pairwise_i8x16_u": [SIMD, 0x7d],
  "i32x4.extadd_pairwise_i16x8_u": [SIMD, 0x7f],
  "i32x4.add": [SIMD, 0xae, 0x01],
};

/** Assembles a module that imports its memory as `env.memory` and exports every function. */
export function assemble(functions: readonly AssemblyFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map((f) => [0x60, ...vector(f.parameters.map(() => [I32])), 1, I32]);
  const exported = functions.map((f, index) => [...text(f.name), 0x00, ...unsigned(index)]);
  const versionOne = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([
    ...versionOne,
    ...section(1, vector(types)),
    ...section(2, vector([[...text("env"), ...text("memory"), 0x02, 0x00, 0x01]])),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(exported)),
    ...section(10, vector(functions.map(assembleBody))),
  ]);
}

function assembleBody(source: AssemblyFunction): number[] {
  const locals = Object.entries(source.locals);
  const names = [...source.parameters, ...locals.map(([name]) => name)];
  const declared = vector(locals.map(([, type]) => [1, type === "i32" ? I32 : V128]));
  const code = source.body
    .replaceAll(/;;.*$/gm, "")
    .trim()
    .split(/\s+/)
    .flatMap((token) => encode(token, names));
  return sized([...declared, ...code, 0x0b]);
}

function encode(token: string, names: readonly string[]): readonly number[] {
  if (token.startsWith("$")) {
    const index = names.indexOf(token.slice(1));
    if (index < 0) throw new Error(`Unknown local ${token}`);
    return unsigned(index);
  }
  // Operands other than locals are small: one signed byte pattern serves both kinds of integer.
  if (/^-?\d+$/.test(token)) return signed(Number(token));
  const opcode = OPCODES[token];
  if (opcode === undefined) throw new Error(`Unknown instruction ${token}`);
  return opcode;
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

function text(value: string): number[] {
  return sized([...Buffer.from(value)]);
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const byte = value & 0x7f;
  const rest = value >> 7;
  const done = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
  return done ? [byte] : [byte | 0x80, ...signed(rest)];
}
