// A queue with bounds: the newest items of all that were pushed, each under its
// own number, so that a reader can tell what it missed.

export class Ring {
  /** Holds at most `most` items with at most `chars` characters in their lines. */
  constructor(most, chars) {
    this.most = most;
    this.limit = chars;
    this.next = 0; // the number of the item that comes next
    this.clear();
  }

  clear() {
    this.items = [];
    this.head = 0; // index of the oldest item: those before it are gone, their places not yet
    this.chars = 0;
  }

  get length() {
    return this.items.length - this.head;
  }

  /** The number of the oldest item held. */
  get first() {
    return this.next - this.length;
  }

  push(item) {
    this.items.push(item);
    this.next++;
    this.chars += size(item);
    while (this.length > 1 && (this.length > this.most || this.chars > this.limit)) this.shift();
  }

  shift() {
    const item = this.items[this.head];
    this.items[this.head++] = undefined;
    this.chars -= size(item);
    if (this.head > 1024 && this.head > this.items.length / 2) {
      this.items.splice(0, this.head);
      this.head = 0;
    }
    return item;
  }

  /** Items from number `from` on, no more than `most` and about `chars`, but one at least. */
  from(from, most, chars) {
    const out = [];
    for (let i = this.head + from - this.first; i < this.items.length && out.length < most && chars > 0; i++) {
      out.push(this.items[i]);
      chars -= size(this.items[i]);
    }
    return out;
  }
}

const size = (item) => item.raw?.length ?? 0;
