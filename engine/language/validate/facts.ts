import type { Json } from '../../terms/json.js';
import type { PlatformFact } from '../../terms/playbook.js';
import { decodeFact, isExitStatus, typeOfFact } from '../types/fact-types.js';
import type { Mistakes } from '../mistakes.js';
import type { Source } from '../yaml/source.js';

/** Tells a declared type that the fact can never have, and a default that is not of its type: each reading would fail. */
export function checkFactType(name: string, fact: PlatformFact, source: Source, mistakes: Mistakes): void {
  const about = `fact "${name}": `;
  const at = (key: string): { source: Source; path: readonly string[] } => ({ source, path: ['facts', name, key] });
  const { type: declared, ...rest } = fact;
  const seen = typeOfFact(rest);
  const other = ['pattern', 'all', 'pointer'].find((key) => Object.hasOwn(fact, key));
  if (isExitStatus(fact) && other !== undefined)
    mistakes.at(at(other), `${about}the value is an exit status; "${other}" reads what a command prints`);
  else if (isExitStatus(fact) && declared !== undefined && declared !== 'number')
    mistakes.at(at('type'), `${about}the value is an exit status, a number; it has no other type`);
  else if (declared !== undefined && typeof seen !== 'string')
    mistakes.at(at('type'), `${about}the value of "disk" is { free_bytes, total_bytes }; it has no other type`);
  else if (declared === 'list' && seen === 'string')
    mistakes.at(at('type'), `${about}the value is text, not a list`, {
      hint: 'command' in fact ? 'for a list of matches write `pattern` and `all: true`' : undefined,
    });
  else if (declared !== undefined && declared !== 'list' && seen === 'list<string>')
    mistakes.at(at('type'), `${about}the value is a list; it has no other type`);
  else if (fact.default !== undefined)
    checkDefault(fact, fact.default, (message) => mistakes.at(at('default'), about + message));
}

function checkDefault(fact: PlatformFact, value: Json, tell: (message: string) => void): void {
  const decoded = decodeFact(fact, value);
  if ('mistake' in decoded) tell(`the default ${decoded.mistake}`);
}
