/**
 * A program that holds one warm headless and one claimed headful browser in the given folder, until
 * it or its starter is killed. It prints the pid of its guard, and of each guard that replaces it
 * once that has the list.
 */
import { openBrowserHost } from './browser-host.ts'

const host = openBrowserHost({}, process.argv[2]!)
await host.claim({ browser: { headless: { active: false } } })
await host.full()

let told: number | undefined
function tell(): void {
  const { pid } = host.guard
  if (pid !== undefined && pid !== told) console.log((told = pid))
}
tell()
setInterval(tell, 20)
process.stdin.resume().once('end', () => process.exit())
