// SPDX-License-Identifier: BSD-3-Clause
// Tells the program of a body that somebody drags: one message at a time, the newest, and again while it is held.
import {Push} from './hand';

const kRepeat = 250;  // [ms] the program lets go of a body of which it has not heard for a second

export class Pushes {
  private wanted?: Push;
  private busy = false;
  private news = false;

  constructor(private complain: (text: string) => void) {
    setInterval(() => {
      if (this.wanted) this.send();
    }, kRepeat);
  }

  /** None: it is released. */
  set(push?: Push): void {
    this.wanted = push;
    this.send();
  }

  private send(): void {
    this.news = true;
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.news) {
      this.news = false;
      const body = this.wanted ? [this.wanted.body, ...this.wanted.at, ...this.wanted.target].join(' ') : '';
      try {
        const answer = await fetch('push', {method: 'POST', body});
        this.complain(answer.ok ? '' : await answer.text());
      } catch {
        this.wanted = undefined;  // the program has ended, which the page says elsewhere
      }
    }
    this.busy = false;
  }
}
