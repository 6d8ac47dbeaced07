// One look after another at what is new: whatever is told meanwhile leads to one more, when the one under way has ended. So news that never
// pause, as those of many trials, are looked at as often as rare ones.
export class Looks {
  private isBusy = false;
  private isWanted = false;
  private isOver = false;

  // `look` never fails. `later` does something after the pause before a look.
  constructor(private readonly look: () => Promise<void>, private readonly later: (work: () => void) => void) {}

  want(): void {
    if (this.isOver) return;
    if (this.isBusy) { this.isWanted = true; return; }
    this.isBusy = true;
    this.later(() => {
      if (this.isOver) return;
      this.isWanted = false;  // what was told until now is seen
      void this.look().then(() => {
        this.isBusy = false;
        if (this.isWanted) this.want();
      });
    });
  }

  // None begins any more.
  stop(): void { this.isOver = true; }
}
