/** What a terminal of this size shows: enough of one to judge what is drawn on it. Any sequence that it does not know throws. */
export class Terminal {
  readonly #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #top = 0;

  constructor(
    readonly columns: number,
    readonly rows: number,
  ) {}

  write(text: string): void {
    // eslint-disable-next-line no-control-regex -- the sequences of a terminal
    for (const [piece] of text.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|[^]/gu)) {
      if (piece.length > 1 && piece.startsWith('\u001b')) this.#obey(piece);
      else if (piece === '\n') this.#down();
      else if (piece === '\r') this.#column = 0;
      else this.#put(piece);
    }
  }

  /** Everything, with what has scrolled away, without blanks at the ends of lines. */
  text(): string {
    return this.#lines
      .map((line) => line.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  #obey(sequence: string): void {
    const up = /\[(\d+)A$/.exec(sequence);
    if (up !== null) this.#row = Math.max(this.#top, this.#row - Number(up[1]));
    else if (sequence.endsWith('[0J')) {
      this.#lines.length = this.#row + 1;
      this.#line().length = Math.min(this.#line().length, this.#column);
    } else if (!sequence.endsWith('m')) throw new Error(`the terminal does not know ${JSON.stringify(sequence)}`);
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= [];
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  #put(character: string): void {
    if (this.#column === this.columns) this.#down();
    const line = this.#line();
    while (line.length < this.#column) line.push(' ');
    line[this.#column] = character;
    this.#column += 1;
  }

  #line(): string[] {
    return (this.#lines[this.#row] ??= []);
  }
}
