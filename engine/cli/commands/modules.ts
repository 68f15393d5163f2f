import { didYouMean } from '../options/did-you-mean.js';
import { schemas } from '../../language/schemas.generated.js';
import { modules } from '../platforms.js';
import { EXIT, invalid } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';

/** `runbook modules [NAME]`: what can be wanted, and with which arguments. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('modules', argv);
  const [name] = flags.positionals;
  return Promise.resolve(name === undefined ? list() : show(name));
}

function list(): number {
  for (const name of modules.keys()) process.stdout.write(`${name.padEnd(14)} ${schemaOf(name).description}\n`);
  return EXIT.done;
}

function show(name: string): number {
  if (!modules.has(name)) throw invalid(`unknown module "${name}"${didYouMean(name, modules.keys())}`);
  process.stdout.write(`${name}: ${schemaOf(name).description}\n\n`);
  for (const argument of argumentsOf(name))
    process.stdout.write(
      `  ${argument.name.padEnd(18)} ${argument.required ? '(required) ' : ''}${argument.description}\n`,
    );
  return EXIT.done;
}

interface ModuleSchema {
  readonly description: string;
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

const schemaOf = (name: string): ModuleSchema =>
  (schemas[`modules/${name}.schema.json`] ?? schemas[`checks/${name}.schema.json`]) as unknown as ModuleSchema;

function argumentsOf(
  name: string,
): readonly { readonly name: string; readonly description: string; readonly required: boolean }[] {
  const { properties, required = [] } = schemaOf(name);
  return Object.entries(properties).map(([key, { description = '' }]) => ({
    name: key,
    description,
    required: required.includes(key),
  }));
}
