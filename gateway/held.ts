/**
 * Answers that may take longer than clients wait for a first word, as Node's `fetch` does for five
 * minutes. Such an answer then begins with white space, which JSON allows before its text, and goes
 * on with more of it until there is something to say.
 */
import { PassThrough } from 'node:stream'
import { limits } from '../proto/limits.ts'
import { sleep, type Clock } from '../runtime/clock.ts'
import type { HttpReply } from './server/http.ts'

/**
 * `whole` itself when it comes in time; it must not reject. Else a reply of status 200 whose body
 * tells how it went: a status once sent cannot be taken back, so an error is known by its `error`.
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

/** The server destroys the stream of a client that has left. */
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
