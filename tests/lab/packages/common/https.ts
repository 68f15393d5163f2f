import { createServer, request, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';

const timeoutMs = 5000;
const bodyLimitBytes = 1024 * 1024;

export interface Answer {
  status: number;
  body: Buffer;
}

/**
 * One HTTPS request between the lab's own daemons; a key inside proves who asks, the certificate is not looked at. Rejects
 * when there is no answer in five seconds.
 */
export function ask(
  url: string,
  send: { method: string; json?: unknown; headers?: Record<string, string>; authorization?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = send.json === undefined ? undefined : JSON.stringify(send.json);
    const headers = { ...send.headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    const asked = request(
      url,
      { method: send.method, headers, auth: send.authorization, rejectUnauthorized: false, timeout: timeoutMs },
      (answer) => {
        bytesOf(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 0, body });
        }, reject);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('timed out')));
    asked.on('error', reject);
    asked.end(text);
  });
}

/** Serves HTTPS on all addresses; an error in `handle` is answered with 500 and told to `failed`. */
export function serve(
  listen: { port: number; cert: string; key: string },
  handle: (
    asked: { method: string; url: URL; headers: Record<string, string>; body: string },
    answer: ServerResponse,
  ) => Promise<void> | void,
  failed: (reason: unknown) => void,
): Server {
  const server = createServer({ cert: listen.cert, key: listen.key }, (asked, answer) => {
    bytesOf(asked, bodyLimitBytes)
      .then((body) =>
        handle(
          {
            method: asked.method ?? 'GET',
            url: new URL(asked.url ?? '/', 'https://localhost'),
            headers: plain(asked),
            body: body.toString('utf8'),
          },
          answer,
        ),
      )
      .catch((reason: unknown) => {
        failed(reason);
        if (!answer.headersSent) answer.writeHead(500);
        answer.end();
      });
  });
  return server.listen(listen.port);
}

/** Ends an answer with a JSON document. */
export function sendJson(answer: ServerResponse, status: number, json: unknown): void {
  answer.writeHead(status, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(json));
}

async function bytesOf(stream: IncomingMessage, limit = Infinity): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) throw new Error('too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function plain(asked: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(asked.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
