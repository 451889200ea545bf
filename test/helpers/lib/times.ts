/** What helpers write down for `npm test -- --times`, which `test/run/times/usage.ts` reads. */
import { appendFileSync } from 'node:fs'

/** A service that was begun at this time of `performance.now()` is ready. */
export function noteStart(begun: number): void {
  const file = process.env['TEST_TIMES_FILE']
  if (file !== undefined) appendFileSync(file, `started ${(performance.now() - begun) / 1_000}\n`)
}
