import type { AssemblyFunction } from "./assemble.ts";

/**
 * The scanner, in flat WebAssembly text. `$at` and `$end` are addresses in its memory, which is at
 * least 16 bytes longer than anything scanned: the last vector may reach past `$end` and is masked.
 */

/** `$mask` := bit i set when byte `$at + i` ends a line and lies before `$end`. */
const NEWLINE_MASK = `
  local.get $at  v128.load 0  local.get $newline  i8x16.eq  i8x16.bitmask  local.set $mask
  local.get $end  local.get $at  i32.sub  local.tee $left  i32.const 16  i32.lt_s
  if
    local.get $mask  i32.const 1  local.get $left  i32.shl  i32.const 1  i32.sub  i32.and  local.set $mask
  end`;

const SPLAT_NEWLINE = `local.get $byte  i8x16.splat  local.set $newline`;

/** How many bytes of value `byte`, which ends lines, lie in `[at, end)`. */
const count: AssemblyFunction = {
  name: "count",
  parameters: ["at", "end", "byte"],
  locals: {
    stop: "i32",
    mask: "i32",
    left: "i32",
    tail: "i32",
    newline: "v128",
    lanes: "v128",
    sums: "v128",
  },
  body: `
    ${SPLAT_NEWLINE}
    block
      loop
        ;; A round is at most 63 steps of 64 bytes: then no 8-bit lane has passed 252.
        local.get $end  local.get $at  i32.sub  i32.const -64  i32.and  local.tee $stop
        i32.eqz  br_if 1
        local.get $stop  i32.const 4032  i32.gt_s
        if
          i32.const 4032  local.set $stop
        end
        local.get $stop  local.get $at  i32.add  local.set $stop
        i32.const 0  i8x16.splat  local.set $lanes
        loop
          ;; A comparison yields -1 where it holds, so subtracting the sum counts.
          local.get $lanes
          local.get $at  v128.load 0   local.get $newline  i8x16.eq
          local.get $at  v128.load 16  local.get $newline  i8x16.eq  i8x16.add
          local.get $at  v128.load 32  local.get $newline  i8x16.eq
          local.get $at  v128.load 48  local.get $newline  i8x16.eq  i8x16.add
          i8x16.add  i8x16.sub  local.set $lanes
          local.get $at  i32.const 64  i32.add  local.tee $at
          local.get $stop  i32.lt_s  br_if 0
        end
        local.get $lanes  i16x8.extadd_pairwise_i8x16_u  i32x4.extadd_pairwise_i16x8_u
        local.get $sums  i32x4.add  local.set $sums
        br 0
      end
    end
    block
      loop
        local.get $at  local.get $end  i32.ge_s  br_if 1
        ${NEWLINE_MASK}
        local.get $tail  local.get $mask  i32.popcnt  i32.add  local.set $tail
        local.get $at  i32.const 16  i32.add  local.set $at
        br 0
      end
    end
    local.get $tail
    local.get $sums  i32x4.extract_lane 0  i32.add
    local.get $sums  i32x4.extract_lane 1  i32.add
    local.get $sums  i32x4.extract_lane 2  i32.add
    local.get $sums  i32x4.extract_lane 3  i32.add`,
};

/** The address after the nth byte of value `byte` in `[at, end)`, or -1 when there are fewer. n ≥ 1. */
const afterNewline: AssemblyFunction = {
  name: "afterNewline",
  parameters: ["at", "end", "n", "byte"],
  locals: { mask: "i32", left: "i32", found: "i32", newline: "v128" },
  body: `
    ${SPLAT_NEWLINE}
    loop
      local.get $at  local.get $end  i32.ge_s
      if
        i32.const -1  return
      end
      ${NEWLINE_MASK}
      local.get $mask  i32.popcnt  local.tee $found  local.get $n  i32.lt_s
      if
        local.get $n  local.get $found  i32.sub  local.set $n
        local.get $at  i32.const 16  i32.add  local.set $at
        br 1
      end
    end
    ;; Drop the n - 1 lowest bits; the lowest that is left is the one.
    block
      loop
        local.get $n  i32.const 2  i32.lt_s  br_if 1
        local.get $mask  local.get $mask  i32.const 1  i32.sub  i32.and  local.set $mask
        local.get $n  i32.const 1  i32.sub  local.set $n
        br 0
      end
    end
    local.get $at  local.get $mask  i32.ctz  i32.add  i32.const 1  i32.add`,
};

/** How many UTF-16 code units the UTF-8 bytes of `[at, end)` begin: continuation bytes add none. */
const codeUnits: AssemblyFunction = {
  name: "codeUnits",
  parameters: ["at", "end"],
  locals: { keep: "i32", left: "i32", total: "i32", bytes: "v128", last: "v128", four: "v128" },
  body: `
    i32.const -65  i8x16.splat  local.set $last   ;; 0x80..0xbf are -128..-65 as signed bytes
    i32.const -16  i8x16.splat  local.set $four   ;; 0xf0.. begin a surrogate pair
    block
      loop
        local.get $at  local.get $end  i32.ge_s  br_if 1
        i32.const 65535  local.set $keep
        local.get $end  local.get $at  i32.sub  local.tee $left  i32.const 16  i32.lt_s
        if
          i32.const 1  local.get $left  i32.shl  i32.const 1  i32.sub  local.set $keep
        end
        local.get $at  v128.load 0  local.set $bytes
        local.get $total
        local.get $bytes  local.get $last  i8x16.gt_s  i8x16.bitmask  local.get $keep  i32.and  i32.popcnt  i32.add
        local.get $bytes  local.get $four  i8x16.ge_u  i8x16.bitmask  local.get $keep  i32.and  i32.popcnt  i32.add
        local.set $total
        local.get $at  i32.const 16  i32.add  local.set $at
        br 0
      end
    end
    local.get $total`,
};

export const SCANNER_SOURCE: readonly AssemblyFunction[] = [count, afterNewline, codeUnits];
