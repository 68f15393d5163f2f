import { homedir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { run } from '../shell.js';

/** An artifact of the Maven repositories: `group:name:version:type`. */
export type Coordinates = `${string}:${string}:${string}:${string}`;

/** Fetches an artifact with the ordinary client and its own configuration; answers the file in its local repository. */
export async function fetchArtifact(coordinates: Coordinates): Promise<string> {
  await run('mvn', ['-B', '-q', 'dependency:get', '-Dtransitive=false', `-Dartifact=${coordinates}`], {
    timeoutMs: 900_000,
  });
  const [group = '', name = '', version = '', type = ''] = coordinates.split(':');
  return join(await localRepository(), ...group.split('.'), name, version, `${name}-${version}.${type}`);
}

let repository: Promise<string> | undefined;

/** Where the client keeps what it fetched: its own setting when it has one. */
function localRepository(): Promise<string> {
  repository ??= run('mvn', ['-B', '-q', 'help:evaluate', '-Dexpression=settings.localRepository', '-DforceStdout'])
    .then((text) => stripVTControlCharacters(text).trim())
    .then((path) => (path.startsWith('/') ? path : join(homedir(), '.m2', 'repository')));
  return repository;
}
