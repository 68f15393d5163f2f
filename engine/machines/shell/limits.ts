/** The most bytes that a host may send. More than large sites have; what sends more is ended, and named. */
export interface SendLimits {
  /** Before a shell comes up, and while nothing is asked of it. */
  readonly unasked: number;
  /** In answer to one question. */
  readonly answer: number;
  /** Of each output of a command: its end is kept, and marked as cut. */
  readonly output: number;
}

const MIB = 1024 * 1024;

export const SEND_LIMITS: SendLimits = { unasked: MIB, answer: 64 * MIB, output: 64 * MIB };

/** Both outputs of a command, and the line above them. */
export const commandAnswer = ({ output }: SendLimits): number => 2 * output + 1024;

/** `64 MiB`; of a limit that a test sets, bytes. */
export const sizeText = (bytes: number): string => (bytes < MIB ? `${bytes} bytes` : `${bytes / MIB} MiB`);

/** Of what printed more than it may. */
export const floodText = (most: number): string => `output too long: it was ended after more than ${sizeText(most)}`;
