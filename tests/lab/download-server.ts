import { appendFileSync, createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import type { ServerSettings } from './build/repository.js';

/** The process that stands for {package_url}: packages and downloads over HTTPS, each request written down. */
const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ServerSettings;

/** What a test asks the server to answer for a path instead of the file. */
interface Override {
  status: number;
  body?: string;
}

createServer({ cert: readFileSync(settings.certificate), key: readFileSync(settings.key) }, (request, response) => {
  const path = pathOf(request);
  const before = request.socket.bytesWritten;
  response.on('close', () => writeDown(request, response, path, before));
  const override = overrideOf(path);
  if (override !== undefined)
    response.writeHead(override.status, { 'content-type': 'text/html' }).end(override.body ?? '');
  else serve(request, response, path);
}).listen(settings.port, settings.address);

function serve(request: IncomingMessage, response: ServerResponse, path: string): void {
  const file = settings.trees
    .map((tree) => join(tree, path))
    .find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html><body><h1>404 Not Found</h1></body></html>\n');
    return;
  }
  const { size, mtime } = statSync(file);
  const range = rangeOf(request, size);
  response.writeHead(range.partial ? 206 : 200, {
    'content-length': range.end - range.start + 1,
    'accept-ranges': 'bytes',
    'last-modified': mtime.toUTCString(),
    ...(range.partial ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else createReadStream(file, { start: range.start, end: range.end }).pipe(response);
}

/** The part of the file asked for: apt goes on with an interrupted download this way. */
function rangeOf(request: IncomingMessage, size: number): { start: number; end: number; partial: boolean } {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  return start > 0 && start < size
    ? { start, end: size - 1, partial: true }
    : { start: 0, end: Math.max(size - 1, 0), partial: false };
}

/** The path asked for, without its query and without a way out of the trees. */
function pathOf(request: IncomingMessage): string {
  const raw = new URL(request.url ?? '/', 'https://localhost').pathname;
  try {
    return normalize(join('/', decodeURIComponent(raw)));
  } catch {
    return raw;
  }
}

function overrideOf(path: string): Override | undefined {
  if (!existsSync(settings.overrides)) return undefined;
  return (JSON.parse(readFileSync(settings.overrides, 'utf8')) as Record<string, Override>)[path];
}

function writeDown(request: IncomingMessage, response: ServerResponse, path: string, before: number): void {
  const line = {
    at: new Date().toISOString(),
    from: request.socket.remoteAddress,
    method: request.method,
    path,
    status: response.statusCode,
    bytes: request.socket.bytesWritten - before,
  };
  appendFileSync(settings.requestLog, `${JSON.stringify(line)}\n`);
}
