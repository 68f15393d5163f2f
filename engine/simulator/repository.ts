import { position } from './faults.js';
import type { Download, Fault, SimulatedState } from './state.js';

/** A host's package manager asks for its index or a package, and is written down; gives the fault in its way, if there is one. */
export function askRepository(
  state: SimulatedState,
  family: 'apt' | 'yum',
  file: string,
): Extract<Fault, { fault: 'download' }> | undefined {
  state.asked.push({ atMs: state.nowMs, path: `${state.repositoryPath}/${family}/${file}` });
  return position(state, 'download', (f) => f.path.includes(`/${family}/`));
}

/** What a URL answers; undefined when nothing listens there. Whatever is not served is a page that says 404. */
export function fetchUrl(state: SimulatedState, url: string): Download | undefined {
  if (!url.startsWith(`${state.packageUrl}/`)) return undefined;
  const path = url.slice(state.packageUrl.length);
  state.asked.push({ atMs: state.nowMs, path });
  const broken = position(state, 'download', (f) => f.path === path);
  if (broken !== undefined)
    return { status: broken.status, contentType: broken.contentType ?? 'text/html', latin1: broken.body };
  return (
    state.downloads[path] ?? {
      status: 404,
      contentType: 'text/html',
      latin1: '<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n',
    }
  );
}
