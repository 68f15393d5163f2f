// Loaded into the program by `node --import`: freezes it where it sends the text FREEZE_TEXT, just before that or just after (FREEZE_WHEN).
// From outside no signal can be sent between the store's answer and what is sent next.
import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';

const { FREEZE_TEXT: text = '', FREEZE_WHEN: when = 'before' } = process.env;
let isDone = text === '';

/** What goes to the store has the text, too, over TLS, and so have the lines that are printed. */
const isHit = (stream, chunk) =>
  !isDone &&
  stream !== process.stdout &&
  stream !== process.stderr &&
  stream.constructor.name !== 'TLSSocket' &&
  (typeof chunk === 'string' || chunk instanceof Uint8Array) &&
  Buffer.from(chunk).toString().includes(text);

for (const name of ['write', 'end']) {
  const send = Duplex.prototype[name];
  Duplex.prototype[name] = function (chunk, ...more) {
    if (!isHit(this, chunk)) return send.call(this, chunk, ...more);
    isDone = true;
    if (when === 'before') process.kill(process.pid, 'SIGSTOP');
    const sent = send.call(this, chunk, ...more);
    // An HTTP client collects what it writes in one turn.
    if (when === 'after') process.nextTick(() => process.kill(process.pid, 'SIGSTOP'));
    return sent;
  };
}
