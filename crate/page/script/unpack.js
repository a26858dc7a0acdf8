// Unpacks the parts of the laboratory: text in base 64, in it the bytes as LZMA packs them, with a sum behind. Browsers know
// gzip by themselves, but the engine has a third more bytes in it. The function uses nothing from outside of itself: the worker
// gets its text.
"use strict";

/// The bytes that a part's text holds; an error where it is damaged.
window.cornerturn_lab.unpacked = (text) => {
  const DAMAGED = () => new Error("a part of the laboratory is damaged; load the page anew");

  const from_base64 = () => {
    let letters;
    try {
      letters = atob(text);
    } catch {
      throw DAMAGED();
    }
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    return bytes;
  };

  const packed = from_base64();
  const view = new DataView(packed.buffer);
  // The head: how literals are told apart, for which there is one way here, the window's size, and the number of bytes.
  const HEAD = 13;
  const SUM = 4;
  const CONTEXT = 4;
  const MOST = 1 << 26;
  if (packed.length < HEAD + 5 + SUM || packed[0] !== CONTEXT || view.getUint32(9, true) !== 0) throw DAMAGED();
  const size = view.getUint32(5, true);
  if (size > MOST) throw DAMAGED();
  const out = new Uint8Array(size);

  // What is expected of each bit, of 2048, by where it stands.
  const LENGTHS = 2 + 8 + 8 + 256;
  const IS_MATCH = 0;
  const IS_OLD = IS_MATCH + 12;
  const IS_OLDER = IS_OLD + 12;
  const IS_THIRD = IS_OLDER + 12;
  const IS_FOURTH = IS_THIRD + 12;
  const IS_LONG = IS_FOURTH + 12;
  const LENGTH = IS_LONG + 12;
  const OLD_LENGTH = LENGTH + LENGTHS;
  const SLOT = OLD_LENGTH + LENGTHS;
  const NEAR = SLOT + 4 * 64;
  const FAR = NEAR + 128;
  const LITERAL = FAR + 16;
  const chances = new Uint16Array(LITERAL + (0x300 << CONTEXT)).fill(1024);

  let at = HEAD + 5;
  // The range and the code, here rather than in variables: numbers of 32 bits in variables are objects of their own.
  const coder = new Uint32Array([0xffffffff, view.getUint32(HEAD + 1, false)]);

  const more = () => {
    coder[0] <<= 8;
    coder[1] = (coder[1] << 8) | packed[at];
    at += 1;
  };

  const bit = (index) => {
    if (coder[0] < 0x1000000) more();
    const chance = chances[index];
    const bound = (coder[0] >>> 11) * chance;
    if (coder[1] < bound) {
      coder[0] = bound;
      chances[index] = chance + ((2048 - chance) >> 5);
      return 0;
    }
    coder[0] -= bound;
    coder[1] -= bound;
    chances[index] = chance - (chance >> 5);
    return 1;
  };

  /// A number of so many bits, each expected by those before it, the highest first.
  const number = (from, bits) => {
    let found = 1;
    for (let left = bits; left > 0; left -= 1) found = (found << 1) | bit(from + found);
    return found - (1 << bits);
  };

  /// The same, the lowest first.
  const turned_number = (from, bits) => {
    let found = 0;
    let node = 1;
    for (let place = 0; place < bits; place += 1) {
      const one = bit(from + node);
      node = (node << 1) | one;
      found |= one << place;
    }
    return found;
  };

  const length = (from) => {
    if (bit(from) === 0) return number(from + 2, 3);
    if (bit(from + 1) === 0) return 8 + number(from + 2 + 8, 3);
    return 16 + number(from + 2 + 16, 8);
  };

  const distance = (length) => {
    const slot = number(SLOT + Math.min(length, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const start = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return start + turned_number(NEAR + start - slot, bits);
    let middle = 0;
    for (let left = bits - 4; left > 0; left -= 1) {
      if (coder[0] < 0x1000000) more();
      coder[0] >>>= 1;
      const is_one = coder[1] >= coder[0];
      if (is_one) coder[1] -= coder[0];
      middle = middle * 2 + (is_one ? 1 : 0);
    }
    return start + middle * 16 + turned_number(FAR, 4);
  };

  /// The next byte, none of which is copied; behind a copy it is told by how it differs from the byte behind what was copied.
  const literal = (before, copied) => {
    const from = LITERAL + 0x300 * (before >> (8 - CONTEXT));
    let found = 1;
    if (copied >= 0) {
      while (found < 0x100) {
        const expected = (copied >> 7) & 1;
        copied <<= 1;
        const one = bit(from + ((1 + expected) << 8) + found);
        found = (found << 1) | one;
        if (one !== expected) break;
      }
    }
    while (found < 0x100) found = (found << 1) | bit(from + found);
    return found & 0xff;
  };

  let state = 0;
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let done = 0;
  while (done < size) {
    if (bit(IS_MATCH + state) === 0) {
      const copied = state < 7 ? -1 : out[done - first - 1];
      out[done] = literal(done > 0 ? out[done - 1] : 0, copied);
      done += 1;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(IS_OLD + state) === 0) {
      count = length(LENGTH);
      [fourth, third, second, first] = [third, second, first, distance(count)];
      state = state < 7 ? 7 : 10;
    } else {
      let is_one_byte = false;
      if (bit(IS_OLDER + state) === 0) {
        is_one_byte = bit(IS_LONG + state) === 0;
      } else if (bit(IS_THIRD + state) === 0) {
        [first, second] = [second, first];
      } else if (bit(IS_FOURTH + state) === 0) {
        [first, second, third] = [third, first, second];
      } else {
        [first, second, third, fourth] = [fourth, first, second, third];
      }
      count = is_one_byte ? -1 : length(OLD_LENGTH);
      state = state < 7 ? (is_one_byte ? 9 : 8) : 11;
    }
    const end = done + count + 2;
    if (first >= done || end > size) throw DAMAGED();
    for (let from = done - first - 1; done < end; done += 1, from += 1) out[done] = out[from];
  }

  let sum = 0x811c9dc5;
  for (let index = 0; index < size; index += 1) sum = Math.imul(sum ^ out[index], 0x01000193);
  if (sum >>> 0 !== view.getUint32(packed.length - SUM, true)) throw DAMAGED();
  return out;
};
