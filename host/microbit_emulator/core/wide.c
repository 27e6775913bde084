// The 32-bit instructions of the Cortex-M4 and its floats: cases of the switch in `execute` in
// processor.c, whose head says what is not modelled, and names the source. WIDE reads the second
// half.
//
// `h` and `b` are the halves of the instruction. `rd`, `rt`, `rm`, `rn` are the usual fields.

  // Loads and stores of several words, exclusive access, table branches.
  case STREX: WIDE; a = r[rn] + ((b & 255) << 2); STORE(Word, r[rt], 4); r[rd] = 0; break;
  case LDREX: WIDE; a = r[rn] + ((b & 255) << 2); LOAD(r[rt], Word, 4); break;
  case STREX_SHORT: WIDE;  // STREXB, STREXH
    a = r[rn];
    if ((b >> 4 & 15) == 4) STORE(u8, r[rt], 1); else STORE(Half, r[rt], 2);
    r[rm] = 0;
    break;
  case LDREX_SHORT_OR_TABLE: WIDE;  // LDREXB, LDREXH, TBB, TBH
    u = b >> 4 & 15;
    if (u < 2) {
      a = (rn == 15 ? pc : r[rn]) + (r[rm] << u);
      if (u) LOAD(y, Half, 2); else LOAD(y, u8, 1);
      pc += y << 1;
    } else {
      a = r[rn];
      if (u == 4) LOAD(r[rt], u8, 1); else LOAD(r[rt], Half, 2);
    }
    break;
  case DUAL: WIDE;  // STRD, LDRD
    x = rn == 15 ? pc & ~3u : r[rn];
    u = (b & 255) << 2;
    y = h & 0x80 ? x + u : x - u;
    a = h & 0x100 ? y : x;
    if (h & 0x10) {
      LOAD(u, Word, 4); a += 4;
      LOAD(r[rd], Word, 4);
      r[rt] = u;
    } else {
      STORE(Word, r[rt], 4); a += 4;
      STORE(Word, r[rd], 4);
    }
    if (h & 0x20) r[rn] = y;
    break;
  case STM_WIDE: WIDE;  // STM, STMDB
    u = (u32)__builtin_popcount(b) * 4;
    x = h & 0x80 ? r[rn] + u : r[rn] - u;
    a = h & 0x80 ? r[rn] : x;
    for (u = 0; u < 15; u++) if (b >> u & 1) { STORE(Word, r[u], 4); a += 4; }
    if (h & 0x20) r[rn] = x;
    break;
  case LDM_WIDE: WIDE;  // LDM, LDMDB
    u = (u32)__builtin_popcount(b) * 4;
    x = h & 0x80 ? r[rn] + u : r[rn] - u;
    a = h & 0x80 ? r[rn] : x;
    if (h & 0x20) r[rn] = x;
    for (u = 0; u < 15; u++) if (b >> u & 1) { LOAD(r[u], Word, 4); a += 4; }
    if (b & 0x8000) { LOAD(result, Word, 4); goto jump; }
    break;

  // Data processing: of a shifted register, of a modified immediate.
  case PROCESS_SHIFTED: WIDE;
    u = (b >> 10 & 28) | (b >> 6 & 3);
    a = rn == 15 ? 0 : r[rn];
    y = r[rm];
    x = cpu.c;  // the shifter's carry
    if ((h >> 5 & 15) == 6) {  // PKHBT, PKHTB
      if (b & 0x20) r[rd] = (a & 0xffff0000) | ((u32)((i32)y >> (u ? u : 31)) & 0xffff);
      else r[rd] = (a & 0xffff) | (y << u & 0xffff0000);
      break;
    }
    switch (b >> 4 & 3) {
      case 0: if (u) x = y >> (32 - u) & 1; b = y << u; break;
      case 1:
        if (u) { x = y >> (u - 1) & 1; b = y >> u; } else { x = y >> 31; b = 0; }
        break;
      case 2:
        if (u) { x = y >> (u - 1) & 1; b = (u32)((i32)y >> u); }
        else { x = y >> 31; b = (u32)((i32)y >> 31); }
        break;
      default:
        if (u) { b = rotate(y, u); x = b >> 31; } else { b = cpu.c << 31 | y >> 1; x = y & 1; }
    }
    goto process;
  case PROCESS_IMMEDIATE: WIDE;
    if (b & 0x8000) goto branch;
    u = (h & 0x400) << 1 | (b >> 4 & 0x700) | (b & 255);
    x = cpu.c;
    a = rn == 15 ? 0 : r[rn];
    y = u & 255;
    if (u < 0x400) b = u < 0x100 ? y : u < 0x200 ? y << 16 | y : u < 0x300 ? y << 24 | y << 8 : y * 0x01010101u;
    else { b = rotate(0x80 | (u & 127), u >> 7); x = b >> 31; }
  process:  // `a` and `b`, with the shifter's carry `x`
    switch (h >> 5 & 15) {
      case 0: result = a & b; goto logical;
      case 1: result = a & ~b; goto logical;
      case 2: result = rn == 15 ? b : a | b; goto logical;
      case 3: result = rn == 15 ? ~b : a | ~b; goto logical;
      case 4: result = a ^ b; goto logical;
      case 8: u = 0; break;
      case 10: u = cpu.c; break;
      case 11: b = ~b; u = cpu.c; break;
      case 13: b = ~b; u = 1; break;
      case 14: u = a; a = b; b = ~u; u = 1; break;
      default: goto undefined_wide;
    }
    result = a + b + u;
    if (h & 0x10) {
      cpu.c = (u32)(((u64)a + b + u) >> 32);
      cpu.v = (i32)((a ^ result) & (b ^ result));
      cpu.nz = (i32)result;
      if (rd == 15) break;
    }
    r[rd] = result;
    break;
  logical:
    if (h & 0x10) {
      cpu.nz = (i32)result;
      cpu.c = x;
      if (rd == 15) break;
    }
    r[rd] = result;
    break;

  // Data processing: plain immediates, saturation, bit fields.
  case PLAIN_IMMEDIATE: WIDE;
    if (b & 0x8000) goto branch;
    u = (h & 0x400) << 1 | (b >> 4 & 0x700) | (b & 255);
    x = (b >> 10 & 28) | (b >> 6 & 3);  // the lowest bit, or a shift
    y = b & 31;                         // the highest bit, or a width
    switch (h >> 4 & 31) {
      case 0: r[rd] = (rn == 15 ? pc & ~3u : r[rn]) + u; break;
      case 10: r[rd] = (rn == 15 ? pc & ~3u : r[rn]) - u; break;
      case 4: r[rd] = rn << 12 | u; break;                               // MOVW
      case 12: r[rd] = (r[rd] & 0xffff) | (rn << 12 | u) << 16; break;   // MOVT
      case 16: case 18: case 24: case 26: {                              // SSAT, USAT
        i32 number = h & 0x20 ? (i32)r[rn] >> x : (i32)(r[rn] << x);
        i64 high = ((i64)1 << y) - 1, low = h & 0x80 ? 0 : -high - 1;
        if (h & 0x20 && !x) { r[rd] = saturate_halves(r[rn], low, high); break; }
        i64 saturated = most(low, least(high, number));
        if (saturated != number) cpu.q = 1;
        r[rd] = (u32)saturated;
        break;
      }
      case 20: r[rd] = (u32)((i32)(r[rn] << (31 - y - x)) >> (31 - y)); break;  // SBFX
      case 28: r[rd] = r[rn] << (31 - y - x) >> (31 - y); break;                // UBFX
      case 22:                                                                  // BFI, BFC
        u = (y >= 31 ? ~0u : (2u << y) - 1) & ~((1u << x) - 1);
        r[rd] = (r[rd] & ~u) | (rn == 15 ? 0 : r[rn] << x & u);
        break;
      default: goto undefined_wide;
    }
    break;

  // Branches, special registers, hints.
  branch:
    if ((b & 0xd000) == 0xd000 || (b & 0xd000) == 0x9000) {  // BL, B.W
      if (b & 0x4000) r[14] = pc | 1;
      pc = branch_target(pc, h, b);
    } else if ((h & 0x0380) != 0x0380) {  // B<condition>.W
      if (holds(h >> 6 & 15))
        pc += (u32)((i32)(h << 21) >> 31) << 20 | (b >> 11 & 1) << 19 | (b >> 13 & 1) << 18 |
              (h & 63) << 12 | (b & 0x7ff) << 1;
    } else if (h == 0xf3ef) {
      r[rd] = read_special(b & 255, flags());
    } else if ((h & 0xfff0) == 0xf380) {
      result = r[rn];
      if ((b & 255) < 4) {
        set_flags(result);
        cpu.q = result >> 27 & 1;
        if (b & 0x400) cpu.ge = result >> 16 & 15;
      }
      else write_special(b & 255, result);
    } else if (h == 0xf3af) {
      if ((b & 255) == 3) { why = AT_WFI; goto out; }
      if ((b & 255) == 2) { why = AT_WFE; goto out; }
    } else if (h != 0xf3bf) goto undefined_wide;  // barriers do nothing
    break;

  // Loads and stores of one register.
  case SINGLE: WIDE;
    if (rn == 15) goto literal;
    if (!(b & 0x800)) a = r[rn] + (r[rm] << (b >> 4 & 3));
    else {
      x = r[rn];
      y = b & 0x200 ? x + (b & 255) : x - (b & 255);
      a = b & 0x400 ? y : x;
      if (b & 0x100 && h & 0x10) {
        if (rt != rn) r[rn] = y;
      } else if (b & 0x100) {
        u = r[rt];
        switch (h >> 5 & 3) {
          case 0: STORE(u8, u, 1); break;
          case 1: STORE(Half, u, 2); break;
          default: STORE(Word, u, 4);
        }
        r[rn] = y;
        break;
      }
    }
    goto single;
  case SINGLE_FAR: WIDE;
    if (rn != 15) a = r[rn] + (b & 0xfff);
    else literal: a = h & 0x80 ? (pc & ~3u) + (b & 0xfff) : (pc & ~3u) - (b & 0xfff);
  single:
    switch (h >> 4 & 0x17) {
      case 0x00: STORE(u8, r[rt], 1); break;
      case 0x02: STORE(Half, r[rt], 2); break;
      case 0x04: STORE(Word, r[rt], 4); break;
      case 0x01: if (rt != 15) LOAD(r[rt], u8, 1); break;  // else PLD
      case 0x03: if (rt != 15) LOAD(r[rt], Half, 2); break;
      case 0x05:
        LOAD(result, Word, 4);
        if (rt == 15) goto jump;
        r[rt] = result;
        break;
      case 0x11: if (rt != 15) LOAD(r[rt], SignedByte, 1); break;
      case 0x13: if (rt != 15) LOAD(r[rt], SignedHalf, 2); break;
      default: goto undefined_wide;
    }
    break;

  // Shifts by a register, extensions, bits and bytes.
  case BY_REGISTER: WIDE;
    y = r[rn];
    if (!(b & 0x80)) {
      if (h & 0x80) {
        u = b >> 4 & 7;
        if ((u & 3) == 3 || (h >> 4 & 3) == 3) goto undefined_wide;
        r[rd] = compute_parallel(h >> 4 & 7, u, y, r[rm]);
        break;
      }
      u = r[rm] & 255;
      x = cpu.c;
      switch (h >> 5 & 3) {
        case 0:
          if (u) { x = u > 32 ? 0 : y >> (32 - u & 31) & 1; y = u > 31 ? 0 : y << u; }
          break;
        case 1:
          if (u) { x = u > 32 ? 0 : y >> (u - 1 & 31) & 1; y = u > 31 ? 0 : y >> u; }
          break;
        case 2:
          if (u) {
            x = u > 31 ? y >> 31 : y >> (u - 1) & 1;
            y = (u32)((i32)y >> (u > 31 ? 31 : u));
          }
          break;
        default: if (u) { y = rotate(y, u); x = y >> 31; }
      }
      r[rd] = y;
      if (h & 0x10) { cpu.nz = (i32)y; cpu.c = x; }
    } else if (!(h & 0x80)) {  // to a word, added to rn
      x = rn == 15 ? 0 : y;
      y = rotate(r[rm], b >> 1 & 24);
      switch (h >> 4 & 7) {
        case 0: y = (u32)(i16)y; break;
        case 1: y = (u16)y; break;
        case 2: y = ((u32)(i8)y & 0xffff) | (u32)(i8)(y >> 16) << 16; break;  // SXTB16
        case 3: y &= 0xff00ff; break;                                       // UXTB16
        case 4: y = (u32)(i8)y; break;
        case 5: y = (u8)y; break;
        default: goto undefined_wide;
      }
      if ((h >> 4 & 6) == 2) r[rd] = ((x + y) & 0xffff) | ((x & 0xffff0000) + (y & 0xffff0000));
      else r[rd] = x + y;
    } else {
      y = r[rm];
      switch ((h >> 4 & 3) << 2 | (b >> 4 & 3)) {
        case 0: case 1: case 2: case 3: {  // QADD, QDADD, QSUB, QDSUB
          i64 other = (i32)r[rn];
          if (b & 0x10) other = most(-0x80000000ll, least(0x7fffffff, 2 * other));
          if (b & 0x10 && other != 2 * (i64)(i32)r[rn]) cpu.q = 1;
          i64 sum = (i64)(i32)y + (b & 0x20 ? -other : other);
          i64 saturated = most(-0x80000000ll, least(0x7fffffff, sum));
          if (saturated != sum) cpu.q = 1;
          r[rd] = (u32)saturated;
          break;
        }
        case 4: r[rd] = __builtin_bswap32(y); break;
        case 5: r[rd] = (y & 0xff00ff) << 8 | (y >> 8 & 0xff00ff); break;
        case 6: r[rd] = reverse_bits(y); break;
        case 7: r[rd] = (u32)(i16)__builtin_bswap16((u16)y); break;
        case 8: r[rd] = select_bytes(r[rn], y); break;
        case 12: r[rd] = y ? (u32)__builtin_clz(y) : 32; break;
        default: goto undefined_wide;
      }
    }
    break;

  // Multiplication and division.
  case MULTIPLY: WIDE;
    y = r[rn] * r[rm];
    r[rd] = b & 0x10 ? r[rt] - y : rt == 15 ? y : r[rt] + y;
    break;
  case MULTIPLY_HALVES: WIDE; {  // SMULxy, SMLAxy; SMULWy, SMLAWy
    i32 factor = b & 0x10 ? (i32)r[rm] >> 16 : (i16)r[rm];
    i64 product = (h >> 4) == 0xfb3 ? (i64)(i32)r[rn] * factor >> 16
                : (i64)(b & 0x20 ? (i32)r[rn] >> 16 : (i16)r[rn]) * factor;
    i64 sum = product + (rt == 15 ? 0 : (i32)r[rt]);
    if (sum != (i32)sum) cpu.q = 1;
    r[rd] = (u32)sum;
    break;
  }
  case MULTIPLY_PAIRS: WIDE; {  // SMUAD, SMLAD, SMUSD, SMLSD
    u32 other = b & 0x10 ? rotate(r[rm], 16) : r[rm];
    i64 low = (i64)(i16)r[rn] * (i16)other, high = (i64)((i32)r[rn] >> 16) * ((i32)other >> 16);
    i64 sum = ((h >> 4) == 0xfb2 ? low + high : low - high) + (rt == 15 ? 0 : (i32)r[rt]);
    if (sum != (i32)sum) cpu.q = 1;
    r[rd] = (u32)sum;
    break;
  }
  case MULTIPLY_HIGH: WIDE; {  // SMMUL, SMMLA, SMMLS
    i64 product = (i64)(i32)r[rn] * (i32)r[rm], sum = rt == 15 ? 0 : (i64)((u64)r[rt] << 32);
    sum = (i64)((h >> 4) == 0xfb5 ? (u64)sum + (u64)product : (u64)sum - (u64)product);
    if (b & 0x10) sum = (i64)((u64)sum + 0x80000000u);
    r[rd] = (u32)((u64)sum >> 32);
    break;
  }
  case DIFFERENCES: WIDE;  // USAD8, USADA8
    y = sum_of_differences(r[rn], r[rm]);
    r[rd] = rt == 15 ? y : r[rt] + y;
    break;
  case MULTIPLY_LONG: WIDE; {  // SMULL, UMULL, SMLAL, UMLAL, UMAAL
    u64 product = h & 0x20 ? (u64)r[rn] * r[rm] : (u64)((i64)(i32)r[rn] * (i32)r[rm]);
    if ((h >> 4) == 0xfbc && b & 0x40) goto long_dual;
    if ((h >> 4) == 0xfbc && b & 0x80)  // SMLALxy
      product = (u64)((i64)(b & 0x20 ? (i32)r[rn] >> 16 : (i16)r[rn]) *
                      (b & 0x10 ? (i32)r[rm] >> 16 : (i16)r[rm]));
    if ((h >> 4) == 0xfbe && b & 0x60) product += (u64)r[rd] + r[rt];
    else if (h & 0x40) product += (u64)r[rd] << 32 | r[rt];
    r[rt] = (u32)product;
    r[rd] = (u32)(product >> 32);
    break;
  }
  case MULTIPLY_LONG_PAIRS: WIDE; long_dual: {  // SMLALD, SMLSLD
    u32 other = b & 0x10 ? rotate(r[rm], 16) : r[rm];
    i64 low = (i64)(i16)r[rn] * (i16)other, high = (i64)((i32)r[rn] >> 16) * ((i32)other >> 16);
    u64 sum = ((u64)r[rd] << 32 | r[rt]) + (u64)(h & 0x10 ? low - high : low + high);
    r[rt] = (u32)sum;
    r[rd] = (u32)(sum >> 32);
    break;
  }
  case SDIV: WIDE;
    y = r[rm];
    r[rd] = !y ? 0 : y == ~0u ? -r[rn] : (u32)((i32)r[rn] / (i32)y);
    break;
  case UDIV: WIDE; r[rd] = r[rm] ? r[rn] / r[rm] : 0; break;

  // Floats.
  case FLOAT: WIDE; {
    if ((b & 0xe00) != 0xa00) goto undefined_wide;
    cpu.control |= FPCA;
    u32 *const s = cpu.s, is_double = b >> 8 & 1;
    u32 vd = rt << 1 | (h >> 6 & 1), vn = rn << 1 | (b >> 7 & 1), vm = rm << 1 | (b >> 5 & 1);
    if (is_double) vd = (rt << 1) | (h >> 6 & 1) << 5;
    if ((h & 0xffe0) == 0xec40) {  // VMOV of two
      if (is_double) vm = rm << 1;
      if (h & 0x10) { r[rt] = s[vm & 31]; r[rn] = s[(vm + 1) & 31]; }
      else { s[vm & 31] = r[rt]; s[(vm + 1) & 31] = r[rn]; }
    } else if ((h & 0xff20) == 0xed00) {  // VLDR, VSTR
      a = (rn == 15 ? pc & ~3u : r[rn]) + (h & 0x80 ? (b & 255) << 2 : -((b & 255) << 2));
      for (u = 0; u <= is_double; u++, a += 4)
        if (h & 0x10) LOAD(s[(vd + u) & 31], Word, 4); else STORE(Word, s[(vd + u) & 31], 4);
    } else if ((h & 0xfe00) == 0xec00) {  // VLDM, VSTM
      u = b & 255;
      x = h & 0x80 ? r[rn] + 4 * u : r[rn] - 4 * u;
      a = h & 0x80 ? r[rn] : x;
      for (y = 0; y < u; y++, a += 4)
        if (h & 0x10) LOAD(s[(vd + y) & 31], Word, 4); else STORE(Word, s[(vd + y) & 31], 4);
      if (h & 0x20) r[rn] = x;
    } else if (b & 0x10) {  // VMRS, VMSR, VMOV of one
      if (h == 0xeef1 && rt == 15) set_flags(cpu.fpscr);
      else if (h == 0xeef1) r[rt] = cpu.fpscr;
      else if (h == 0xeee1) cpu.fpscr = r[rt];
      else if ((h & 0xffe0) == 0xee00) { if (h & 0x10) r[rt] = s[vn]; else s[vn] = r[rt]; }
      else goto undefined_wide;
    } else if (!compute_float(h, b, vd, vn, vm)) goto undefined_wide;
    break;
  }
