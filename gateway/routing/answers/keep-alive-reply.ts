/**
 * Answers that may take longer than clients wait for the first byte (Node's `fetch` waits five
 * minutes). Such an answer starts with white space, which JSON allows before a value, and continues
 * with it until the result is there.
 */
import { PassThrough } from 'node:stream'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import type { HttpReply } from '../../server/http.ts'
import { routingLimits } from '../limits.ts'

/**
 * Returns `whole` itself if it resolves in time; it must not reject. Otherwise returns status 200
 * with a streamed body: a status cannot be changed once sent, so clients recognise a failure by the
 * body's `error` field.
 */
export async function keepAliveReply(whole: Promise<HttpReply>, clock: Clock): Promise<HttpReply> {
  const settled = new AbortController()
  void whole.then(() => settled.abort())
  await sleep(clock, routingLimits.keepAliveReplyAfterMs, settled.signal)
  if (settled.signal.aborted) return whole
  const stream = new PassThrough()
  void writeKeepAlive(stream, whole, settled.signal, clock)
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status: 200, headers, body: { stream } }
}

/**
 * Writes white space until the result is there. The server destroys the stream when the client
 * leaves.
 */
async function writeKeepAlive(
  stream: PassThrough,
  whole: Promise<HttpReply>,
  settled: AbortSignal,
  clock: Clock,
): Promise<void> {
  while (!settled.aborted && !stream.destroyed) {
    stream.write(' ')
    await sleep(clock, routingLimits.keepAliveReplyBeatMs, settled)
  }
  if (!stream.destroyed) stream.end((await whole).body)
}
