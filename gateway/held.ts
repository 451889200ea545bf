/**
 * Answers that may take longer than clients wait for the first byte (Node's `fetch` waits five
 * minutes). Such an answer starts with white space, which JSON allows before a value, and continues
 * with it until the result is there.
 */
import { PassThrough } from 'node:stream'
import { limits } from '../proto/limits.ts'
import { sleep, type Clock } from '../runtime/clock.ts'
import type { HttpReply } from './server/http.ts'

/**
 * Returns `whole` itself if it resolves in time; it must not reject. Otherwise returns status 200
 * with a streamed body: a status cannot be changed once sent, so clients recognise a failure by the
 * body's `error` field.
 */
export async function held(whole: Promise<HttpReply>, clock: Clock): Promise<HttpReply> {
  const come = new AbortController()
  void whole.then(() => come.abort())
  await sleep(clock, limits.heldQuietMs, come.signal)
  if (come.signal.aborted) return whole
  const stream = new PassThrough()
  void speak(stream, whole, come.signal, clock)
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status: 200, headers, body: { stream } }
}

/**
 * Writes white space until the result is there. The server destroys the stream when the client
 * leaves.
 */
async function speak(
  stream: PassThrough,
  whole: Promise<HttpReply>,
  come: AbortSignal,
  clock: Clock,
): Promise<void> {
  while (!come.aborted && !stream.destroyed) {
    stream.write(' ')
    await sleep(clock, limits.heldBeatMs, come)
  }
  if (!stream.destroyed) stream.end((await whole).body)
}
