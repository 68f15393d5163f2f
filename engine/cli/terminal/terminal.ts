import type { Terminal } from '../../report/style.js';

/** What a stream can show. `NO_COLOR` is honoured. */
export const terminalOf = (stream: NodeJS.WriteStream): Terminal => ({
  color: stream.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
  width: stream.isTTY ? stream.columns || 80 : 200,
});
