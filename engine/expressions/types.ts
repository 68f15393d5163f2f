/** The type of a name: `string`, `int`, `double`, `bool`, `Version`, `dyn`, `list<T>` …, or what its keys are. */
export type NameType = string | { readonly [key: string]: NameType };

/** A type that stands for any: nothing is known of it before it is read. */
export const ANY = 'dyn';

/** The type of what a path leads to below a value of this type: `dyn` below what is `dyn`, and where there is no such key. */
export function typeBelow(type: NameType, path: readonly string[]): NameType {
  const [key, ...rest] = path;
  if (key === undefined) return type;
  if (typeof type !== 'string') return Object.hasOwn(type, key) ? typeBelow(type[key] ?? ANY, rest) : ANY;
  const element = /^list<(.*)>$/.exec(type)?.[1];
  if (element === undefined) return ANY;
  return key === 'length' ? 'int' : typeBelow(element, rest);
}

/** The type that values of both types have: `dyn` where they have nothing in common. Objects have the keys of both. */
export function commonType(a: NameType, b: NameType): NameType {
  if (a === b) return a;
  if (typeof a === 'string' || typeof b === 'string') {
    const kinds = [a, b];
    if (kinds.includes('list<dyn>') && kinds.every((one) => typeof one === 'string' && one.startsWith('list<')))
      return 'list<dyn>';
    return kinds.every((one) => one === 'int' || one === 'double') ? 'double' : ANY;
  }
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    keys.map((key) => [
      key,
      Object.hasOwn(a, key) && Object.hasOwn(b, key) ? commonType(a[key] ?? ANY, b[key] ?? ANY) : ANY,
    ]),
  );
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a number',
  double: 'a number',
  bool: 'true or false',
  null: 'null',
  Version: 'a version',
  Duration: 'a duration',
  Size: 'a size',
  Count: 'a count or share',
  Secret: 'a secret',
  Host: 'a host',
  dyn: 'a JSON value',
};

const isList = (type: string): boolean => type.startsWith('list');
const isMap = (type: string): boolean => type.startsWith('map') || type.startsWith('$');
export const isCollection = (type: string): boolean => isList(type) || isMap(type);

/** A type in words: `list<string>` is a list. */
export const typeInWords = (type: string): string =>
  WORDS[type] ?? (isList(type) ? 'a list' : isMap(type) ? 'a map' : type);
