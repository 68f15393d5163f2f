import { isIP } from 'node:net';

/** Is this a DNS name or an IP address? An underscore is accepted, as resolvers do; `{{n}}` of a range is filled in before. */
export const isHostAddress = (text: string): boolean =>
  isIP(text) !== 0 || (DNS_NAME.test(text) && !NUMBERS.test(text));

/** A name whose last part is a number is read as an IPv4 address: `4.14.7` and `10.0.0.256` are none. */
const NUMBERS = /\.\d+\.?$/;

const DNS_NAME =
  /^(?=.{1,254}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;
