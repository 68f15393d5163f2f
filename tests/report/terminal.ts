/** What a terminal of this size shows: enough of one to judge what is drawn on it. Any sequence that it does not know throws. */
export class Terminal {
  readonly #lines: string[][] = [[]];
  /** How each character is painted: the codes that were in effect. */
  readonly #paint: string[][] = [[]];
  readonly #codes = new Set<string>();
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

  /** What stands on it now. */
  shown(): string {
    return this.text().split('\n').slice(-this.rows).join('\n');
  }

  /** The same as HTML: a `span` with the class `sCODE` where something is painted. */
  html(): string {
    const first = this.text().split('\n').length - this.shown().split('\n').length;
    return this.#lines
      .slice(first)
      .map((line, i) => line.map((character, j) => painted(character, this.#paint[first + i]?.[j] ?? '')).join(''))
      .join('\n')
      .trimEnd();
  }

  #obey(sequence: string): void {
    const up = /\[(\d+)A$/.exec(sequence);
    if (up !== null) this.#row = Math.max(this.#top, this.#row - Number(up[1]));
    else if (sequence.endsWith('[0J')) {
      this.#lines.length = this.#row + 1;
      this.#line().length = Math.min(this.#line().length, this.#column);
    } else if (sequence.endsWith('m')) this.#dress(sequence.slice(2, -1));
    else throw new Error(`the terminal does not know ${JSON.stringify(sequence)}`);
  }

  #dress(code: string): void {
    if (code === '22') {
      for (const weight of ['1', '2']) this.#codes.delete(weight);
    } else if (code === '39') {
      for (const color of this.#codes) if (color.startsWith('3')) this.#codes.delete(color);
    } else this.#codes.add(code);
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
    (this.#paint[this.#row] ??= [])[this.#column] = [...this.#codes].map((code) => `s${code}`).join(' ');
    this.#column += 1;
  }

  #line(): string[] {
    return (this.#lines[this.#row] ??= []);
  }
}

const painted = (character: string, codes: string): string => {
  const text = character.replace('&', '&amp;').replace('<', '&lt;');
  return codes === '' ? text : `<span class="${codes}">${text}</span>`;
};
