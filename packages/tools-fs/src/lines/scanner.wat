;; Questions about the bytes in memory, answered sixteen at a time. $at and $end are addresses in the memory, which is at
;; least 16 bytes longer than anything scanned: the last vector may reach past $end and is masked.
;;
;; scanner-module.ts is this file compiled; test/lines/scanner-module.test.ts compares the two, and writes it:
;;   npm test -- packages/tools-fs/test/lines/scanner-module.test.ts -u
(module
  (import "env" "memory" (memory 1))

  ;; How many bytes of value $byte, which ends lines, lie in [at, end).
  (func (export "count") (param $at i32) (param $end i32) (param $byte i32) (result i32)
    (local $stop i32) (local $mask i32) (local $left i32) (local $tail i32)
    (local $newline v128) (local $lanes v128) (local $sums v128)
    (local.set $newline (i8x16.splat (local.get $byte)))
    (block $counted
      (loop $round
        ;; A round is at most 63 steps of 64 bytes: then no 8-bit lane has passed 252.
        (local.set $stop (i32.and (i32.sub (local.get $end) (local.get $at)) (i32.const -64)))
        (br_if $counted (i32.eqz (local.get $stop)))
        (if (i32.gt_s (local.get $stop) (i32.const 4032)) (then (local.set $stop (i32.const 4032))))
        (local.set $stop (i32.add (local.get $stop) (local.get $at)))
        (local.set $lanes (i8x16.splat (i32.const 0)))
        (loop $step
          ;; A comparison yields -1 where it holds, so subtracting the sum counts.
          (local.set $lanes
            (i8x16.sub
              (local.get $lanes)
              (i8x16.add
                (i8x16.add
                  (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $newline))
                  (i8x16.eq (v128.load offset=16 align=1 (local.get $at)) (local.get $newline)))
                (i8x16.add
                  (i8x16.eq (v128.load offset=32 align=1 (local.get $at)) (local.get $newline))
                  (i8x16.eq (v128.load offset=48 align=1 (local.get $at)) (local.get $newline))))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $step (i32.lt_s (local.get $at) (local.get $stop))))
        (local.set $sums
          (i32x4.add
            (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $lanes)))
            (local.get $sums)))
        (br $round)))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        ;; Bit i of the mask is set when byte $at + i ends a line and lies before $end.
        (local.set $mask (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $newline))))
        (local.set $left (i32.sub (local.get $end) (local.get $at)))
        (if (i32.lt_s (local.get $left) (i32.const 16))
          (then
            (local.set $mask
              (i32.and
                (local.get $mask)
                (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))))
        (local.set $tail (i32.add (local.get $tail) (i32.popcnt (local.get $mask))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $vector)))
    (i32.add
      (local.get $tail)
      (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
        (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))))

  ;; The address after the nth byte of value $byte in [at, end), or -1 when there are fewer. n >= 1.
  (func (export "afterNewline") (param $at i32) (param $end i32) (param $n i32) (param $byte i32) (result i32)
    (local $mask i32) (local $left i32) (local $found i32) (local $newline v128)
    (local.set $newline (i8x16.splat (local.get $byte)))
    (loop $vector
      (if (i32.ge_s (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $mask (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $newline))))
      (local.set $left (i32.sub (local.get $end) (local.get $at)))
      (if (i32.lt_s (local.get $left) (i32.const 16))
        (then
          (local.set $mask
            (i32.and
              (local.get $mask)
              (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))))
      (local.set $found (i32.popcnt (local.get $mask)))
      (if (i32.lt_s (local.get $found) (local.get $n))
        (then
          (local.set $n (i32.sub (local.get $n) (local.get $found)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $vector))))
    ;; Drop the n - 1 lowest bits; the lowest that is left is the one.
    (block $dropped
      (loop $drop
        (br_if $dropped (i32.lt_s (local.get $n) (i32.const 2)))
        (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $drop)))
    (i32.add (i32.add (local.get $at) (i32.ctz (local.get $mask))) (i32.const 1)))

  ;; Writes the addresses of the bytes of value $byte in [at, end) to $out, four bytes each; answers how many there are.
  (func (export "positions") (param $at i32) (param $end i32) (param $out i32) (param $byte i32) (result i32)
    (local $mask i32) (local $left i32) (local $first i32) (local $newline v128)
    (local.set $newline (i8x16.splat (local.get $byte)))
    (local.set $first (local.get $out))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $mask (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $newline))))
        (local.set $left (i32.sub (local.get $end) (local.get $at)))
        (if (i32.lt_s (local.get $left) (i32.const 16))
          (then
            (local.set $mask
              (i32.and
                (local.get $mask)
                (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))))
        ;; The lowest bit that is left is the next one.
        (block $none
          (loop $next
            (br_if $none (i32.eqz (local.get $mask)))
            (i32.store (local.get $out) (i32.add (local.get $at) (i32.ctz (local.get $mask))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br $next)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $vector)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2)))

  ;; How many UTF-16 code units the UTF-8 bytes of [at, end) begin: continuation bytes add none.
  (func (export "codeUnits") (param $at i32) (param $end i32) (result i32)
    (local $keep i32) (local $left i32) (local $total i32)
    (local $bytes v128) (local $last v128) (local $four v128)
    (local.set $last (i8x16.splat (i32.const -65))) ;; 0x80..0xbf are -128..-65 as signed bytes
    (local.set $four (i8x16.splat (i32.const -16))) ;; 0xf0.. begin a surrogate pair
    (block $done
      (loop $vector
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $keep (i32.const 65535))
        (local.set $left (i32.sub (local.get $end) (local.get $at)))
        (if (i32.lt_s (local.get $left) (i32.const 16))
          (then (local.set $keep (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1)))))
        (local.set $bytes (v128.load align=1 (local.get $at)))
        (local.set $total
          (i32.add
            (local.get $total)
            (i32.add
              (i32.popcnt
                (i32.and (i8x16.bitmask (i8x16.gt_s (local.get $bytes) (local.get $last))) (local.get $keep)))
              (i32.popcnt
                (i32.and (i8x16.bitmask (i8x16.ge_u (local.get $bytes) (local.get $four))) (local.get $keep))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $vector)))
    (local.get $total)))
