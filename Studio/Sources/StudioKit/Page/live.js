// Follows the commits of other processes. The stream keeps the version that the page shows; it ends
// while the page is not in sight, so that nothing is kept then.

import { events } from "./api.js";

const pauseOfClosed = 1000;

export class Live {
  // `listener` has version(number, size, isFirst), newest(number), replaced(), lost(). `isFirst`
  // tells the first version of a stream, which may be of another file at the same path.
  constructor(listener) {
    this.listener = listener;
    this.frozen = null;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && this.frozen === null) this.end();
      else if (!this.stream && this.file !== undefined) this.begin();
    });
  }

  follow(file) {
    this.file = file;
    this.frozen = null;
    this.begin();
  }

  freeze(version) {
    this.frozen = version;
    this.begin();
  }

  end() {
    this.stream?.close();
    this.stream = null;
  }

  begin() {
    const former = this.stream;
    const stream = events(`/${this.file}/events`, { frozen: this.frozen });
    this.stream = stream;
    let isFirst = true;
    const on = (name, body) => stream.addEventListener(name, (event) => {
      if (stream === this.stream) body(JSON.parse(event.data));
    });
    // The version that the former stream keeps is let go once the new one has its own.
    stream.addEventListener("open", () => {
      isFirst = true;
      former?.close();
    });
    on("version", ({ version, size }) => {
      this.listener.version(version, size, isFirst);
      isFirst = false;
    });
    on("newest", ({ version }) => this.listener.newest(version));
    on("replaced", () => this.listener.replaced());
    stream.addEventListener("error", () => {
      former?.close();
      if (stream !== this.stream) return;
      // A frozen version that was let go does not come back.
      if (this.frozen !== null && stream.readyState === EventSource.CLOSED) {
        this.frozen = null;
        this.listener.lost();
        this.begin();
      } else if (stream.readyState === EventSource.CLOSED) {
        // The file was closed, such as for a compaction that another page has asked for.
        setTimeout(() => { if (stream === this.stream) this.begin(); }, pauseOfClosed);
      }
    });
  }
}
