import { certificatesIn } from '../../lib/certificates.js';
import type { Json } from '../../terms/json.js';
import { type Definition, definitionOf, type Here, type WholeProject } from '../definitions.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import { pathIn, spotIn } from '../inventory/layers.js';
import { displayName, type LoadContext } from '../load-context.js';
import { select } from '../playbook/selector.js';
import { objectOf, textOf } from '../values.js';
import { certificateArgs } from '../validators.generated.js';

const remedy = "PEM text: an authority's certificate, or the server's own";

/** Tells each `ca` of an endpoint that leads to no certificate, where the files are the disk's. */
export async function checkEndpointCertificates(context: LoadContext, { parts }: LoadedInventory): Promise<void> {
  if (!context.files.live || context.draft) return;
  for (const [name, part] of parts.endpoints) {
    const written = textOf(part.json['ca']);
    if (written === undefined) continue;
    const wrong = await whyNoCertificate(context, pathIn(part, ['ca'], written, context.env));
    if (wrong !== undefined)
      context.mistakes.at(spotIn(part, ['ca']), `endpoint "${name}": ${wrong}`, {
        hint: `${remedy}; a path is seen from this file`,
      });
  }
}

/** The same for step arguments that a module's schema marks as certificates, if their value is in a file or in `-e`: literally, or by a name. */
export async function checkStepCertificates(context: LoadContext, project: WholeProject): Promise<void> {
  if (!context.files.live || context.draft) return;
  const reported = new Set<string>();
  for (const { here, written, about } of argumentsOf(project)) {
    const found = literalOf(project, here, written);
    if (found === undefined) continue;
    const key = `${found.value} ${JSON.stringify([found.spot?.source.file, found.spot?.path])}`;
    if (reported.has(key)) continue;
    reported.add(key);
    const wrong = found.value.startsWith('/')
      ? await whyNoCertificate(context, found.value)
      : `${found.value} is no absolute path`;
    if (wrong === undefined) continue;
    const message = `${about}${wrong}`;
    if (found.spot === undefined)
      context.mistakes.add([{ file: '-e', line: 1, column: 1, length: 1, message, hint: remedy }]);
    else context.mistakes.at(found.spot, message, { hint: remedy });
  }
}

async function whyNoCertificate(context: LoadContext, file: string): Promise<string | undefined> {
  const shown = displayName(context.cwd, file);
  const found = await context.files.read(file);
  if (found.is === 'missing') return `there is no file ${shown}`;
  if (found.is === 'refused') return `${shown} ${found.reason}`;
  return certificatesIn(found.text).length > 0 ? undefined : `${shown} holds no certificate`;
}

/** Each argument that names certificates, on each host that its step is for. */
function* argumentsOf({
  playbook,
  platform,
  loaded,
}: WholeProject): Generator<{ here: Here; written: Definition; about: string }> {
  if (loaded === undefined) return;
  for (const play of playbook.plays) {
    const steps = play.steps.filter(({ step }) => (certificateArgs[step.module] ?? []).length > 0);
    if (steps.length === 0) continue;
    const onController = play.play.hosts === 'controller';
    const names = new Set(onController ? [] : select(play.play, loaded.inventory.hosts, { roles: platform.roles }));
    const hosts = loaded.hosts.filter(({ host }) => names.has(host.name));
    for (const step of steps)
      for (const host of onController ? [undefined] : hosts)
        for (const key of certificateArgs[step.step.module] ?? []) {
          const value = objectOf(step.step.args)[key];
          const spot = { source: step.source, path: [...step.path, step.step.module, key] };
          const about = `step ${JSON.stringify(step.step.name)}: `;
          if (value !== undefined)
            yield { here: { play, step, ...(host === undefined ? {} : { host }) }, written: { value, spot }, about };
        }
  }
}

const wholeName = /^\{\{\s*([\w-]+\.[\w-]+)\s*\}\}$/;

/** The text at the end of a chain of names; undefined where a name is known only later, or where there is nothing but emptiness. */
function literalOf(
  project: WholeProject,
  here: Here,
  written: Definition,
): (Definition & { readonly value: string }) | undefined {
  const passed = new Set<string>();
  let now: Definition | undefined = written;
  for (;;) {
    const value: Json | undefined = now?.value;
    if (now === undefined || typeof value !== 'string' || value === '') return undefined;
    const name: string | undefined = wholeName.exec(value)?.[1];
    if (name === undefined) return value.includes('{{') ? undefined : { ...now, value };
    if (passed.has(name)) return undefined;
    passed.add(name);
    now = definitionOf(project, here, name);
  }
}
