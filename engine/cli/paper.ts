import type { Paper } from '../report/style.js';

/** What a stream can show. `NO_COLOR` is honoured. */
export const paperOf = (stream: NodeJS.WriteStream): Paper => ({
  color: stream.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
  width: stream.isTTY ? stream.columns || 80 : 200,
});
