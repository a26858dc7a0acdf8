// An edit as a link: what a panel holds, packed into the fragment of the page's address. Nothing of it is ever sent to a
// server. What comes from an address is a stranger's: it is measured, checked, and only ever shown as text.
"use strict";

((lab) => {
  const HEAD = "#lab=";
  /// Limits of what is unpacked, in characters of the fragment and in bytes behind it.
  const MOST_PACKED = 40_000;
  const MOST_UNPACKED = 200_000;
  const NAME = /^[A-Za-z0-9_-]{1,64}$/;

  const TOO_LONG = "The link to this page holds more than an edit can be: nothing of it was opened.";
  const BROKEN = "The link to this page holds an edit that cannot be read: it may have been cut off where it was copied. Nothing of it was opened.";

  const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);

  const to_words = (bytes) => {
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  };

  const from_words = (words) => Uint8Array.from(atob(words.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

  /// All of a stream, or nothing where it is longer than an edit can be.
  const limited = async (stream) => {
    const reader = stream.getReader();
    const parts = [];
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      bytes += value.length;
      if (bytes > MOST_UNPACKED) {
        await reader.cancel();
        return null;
      }
      parts.push(value);
    }
  };

  /// The fragment for what a panel holds.
  lab.pack = async (id, held) => {
    const packed = through(new TextEncoder().encode(JSON.stringify(held)), new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    const fragment = `${HEAD}${id},${to_words(bytes)}`;
    if (fragment.length > MOST_PACKED) throw new Error("This edit is too long for a link.");
    return fragment;
  };

  const is_number = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
  const is_text = (value) => typeof value === "string";

  /// What is expected in it: nothing else is taken over.
  const checked = (held) => {
    if (typeof held !== "object" || held === null || Array.isArray(held)) throw new Error(BROKEN);
    const taken = {};
    if (is_text(held.source)) taken.source = held.source;
    for (const key of ["element", "entry", "arguments", "show"]) if (is_text(held[key]) && held[key].length < 4000) taken[key] = held[key];
    if (is_number(held.shared)) taken.shared = held.shared;
    for (const key of ["block", "grid"]) if (Array.isArray(held[key]) && held[key].length <= 3 && held[key].every(is_number)) taken[key] = held[key];
    if (typeof held.sizes === "object" && held.sizes !== null) {
      const sizes = Object.entries(held.sizes).filter(([name, value]) => NAME.test(name) && is_number(value));
      taken.sizes = Object.fromEntries(sizes.slice(0, 8));
    }
    return taken;
  };

  lab.checked = checked;

  /// What a fragment holds: nothing where it is none of ours, else `{id, held}`; fails with a sentence.
  lab.unpack = async (fragment) => {
    if (!fragment.startsWith(HEAD)) return null;
    if (fragment.length > MOST_PACKED) throw new Error(TOO_LONG);
    const [id, words, ...rest] = fragment.slice(HEAD.length).split(",");
    if (!NAME.test(id) || rest.length > 0) throw new Error(BROKEN);
    if (words === undefined || words === "") return { id, held: {} };
    let bytes;
    try {
      bytes = await limited(through(from_words(words), new DecompressionStream("deflate-raw")));
    } catch {
      throw new Error(BROKEN);
    }
    if (bytes === null) throw new Error(TOO_LONG);
    try {
      return { id, held: checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))) };
    } catch {
      throw new Error(BROKEN);
    }
  };

  /// Keeps an edit in the address, so that the page can be loaded again, and gives the whole address.
  lab.keep_in_address = async (id, held) => {
    const fragment = await lab.pack(id, held);
    try {
      history.replaceState(history.state, "", fragment);
    } catch {
      // Some browsers forbid it for files; the link works all the same.
    }
    return location.href.split("#")[0] + fragment;
  };
})(window.cornerturn_lab);
