/** Reads the TAP that a test file prints. */
import type { Readable } from 'node:stream'
import { Stdin, type StdinOpts } from 'tap'
import { defined } from '../../proto/defined.ts'
import type { Failure } from './outcome.ts'

type Parser = Stdin['parser']
export type TapResults = NonNullable<Stdin['results']>

/** tap's result of the file: every number shown later comes from it. Adds to `failures`. */
export async function readTap(
  tapStream: Readable,
  failures: Failure[],
): Promise<TapResults | undefined> {
  const reader = new Stdin({ tapStream: tapStream as NonNullable<StdinOpts['tapStream']> })
  collectFailures(reader.parser, [], failures)
  // It repeats the stream for a parent test, which does not exist here, so the stream has to be
  // drained.
  reader.resume()
  await new Promise<void>((done) => reader.runMain(done))
  return reader.results
}

/**
 * Keeps the failed assertions at any depth, and leaves out the tests around them, which fail only
 * because of them.
 */
function collectFailures(parser: Parser, path: readonly string[], into: Failure[]) {
  parser.on('assert', (result) => {
    if (result.ok || result.closingTestPoint || result.todo || result.skip) return
    into.push({ test: [...path, result.name].join(' › '), detail: describe(result.diag) })
  })
  parser.on('child', (child: Parser) => collectFailures(child, [...path, child.name], into))
}

function describe(diag: unknown): string {
  if (typeof diag !== 'object' || diag === null) return ''
  const { message, diff, found, wanted, stack, at } = diag as Record<string, unknown>
  const values = { ...defined({ found, wanted }) }
  return [
    message,
    diff ?? (Object.keys(values).length > 0 ? JSON.stringify(values) : undefined),
    stack ?? (at === undefined ? undefined : JSON.stringify(at)),
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n')
}
