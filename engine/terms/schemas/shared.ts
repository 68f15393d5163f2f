/** What the schemas of the files that users write have in common. Imported by type only: the build writes schemas/ from them. */
import { Type, type Static, type TArrayOptions, type TObjectOptions, type TProperties, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../json.js';

/** What a value is, for editors, the reference pages and messages, with values that show its form. */
export interface About {
  readonly description: string;
  readonly examples?: readonly unknown[];
}

/** A name of the user's own. */
export const NAME = '^[A-Za-z_][A-Za-z0-9_-]*$';

/** A part of a message's subject, so without dots. */
export const zone = (about: About) => Type.String({ ...about, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$' });

/** A map with these keys and no other. */
export const object = <P extends TProperties>(properties: P, about: TObjectOptions) =>
  Type.Object(properties, { additionalProperties: false, ...about });

/** A map from keys of the user's own to values of this form. */
export const mapOf = <T extends TSchema>(
  value: T,
  about: About & { readonly propertyNames?: { readonly pattern: string } },
) => Type.Unsafe<Readonly<Record<string, Static<T>>>>({ ...about, type: 'object', additionalProperties: value });

/** The same, whose keys are names. */
export const byName = <T extends TSchema>(value: T, about: About) =>
  mapOf(value, { ...about, propertyNames: { pattern: NAME } });

/** A map of values of any form, by name. */
export const values = (about: About) =>
  Type.Unsafe<JsonObject>({ ...about, type: 'object', propertyNames: { pattern: NAME }, additionalProperties: true });

export const variables = (description: string) =>
  values({ description, examples: [{ heap: '8g', rejoin_limit: '10m' }] });

export const list = <T extends TSchema>(items: T, about: TArrayOptions) =>
  Type.Unsafe<readonly Static<T>[]>({ ...about, type: 'array', items });

/** A text that is not empty. */
export const text = (about: About) => Type.String({ ...about, minLength: 1 });

export const name = (about: About) => Type.String({ ...about, pattern: NAME });

/** A section of the specification, or an item of one. */
export const spec = (about: About) =>
  Type.String({ ...about, pattern: '^[1-9](\\.[1-9][0-9]*)*(\\.[a-z][a-z0-9-]*)?$' });

/** A duration as text: `500ms`, `30s`, `1h30m`. */
export const duration = (about: About) => Type.String({ ...about, pattern: '^([0-9]+(\\.[0-9]+)?(ms|[smhd]))+$' });

export const url = (about: About) => Type.String({ ...about, pattern: '^https?://' });

/** Any JSON value. */
export const anything = (about: About) => Type.Unsafe<Json>(about);

/** A reference to an entry of `$defs` of the same file, by its name there. */
export const ref = <T extends TSchema>(entry: string, _schema: T, about?: About) =>
  Type.Unsafe<Static<T>>({ ...about, $ref: `#/$defs/${entry}` });

/** Such a map, or a text in its place. */
export const orText = <T extends TSchema>(map: T) =>
  Type.Unsafe<string | Static<T>>({ ...map, type: ['string', 'object'] });

/** One value of this form, or a list of them. */
export const oneOrMore = <T extends TSchema & { readonly type?: unknown }>(item: T, about: About) =>
  Type.Unsafe<Static<T> | readonly Static<T>[]>({
    ...item,
    ...about,
    type: [item.type, 'array'].flat(),
    minItems: 1,
    items: item,
  });

/** What to do where something does not hold, or what to read first. */
export const hint = (about: About, look: string) =>
  orText(
    object(
      { look: text({ description: 'What to read on the host: a command or a file.', examples: [look] }) },
      { ...about, minLength: 1 },
    ),
  );

/** What to do where a check does not hold. */
export const hintOfCheck = hint(
  {
    description:
      'What to do then, or `look`: what to read. Text with templates; what is not known then is `(unknown)` in it.',
    examples: ['fix the cause, then: runbook resume', { look: 'journalctl -u {{indexer.service}} -n 50' }],
  },
  'journalctl -u {{indexer.service}} -n 50',
);
