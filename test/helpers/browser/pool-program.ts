/**
 * A program that holds one warm headless and one claimed headful browser in the given folder, until
 * it or its starter is killed. It prints the pids of its guards, and again when another guard has
 * replaced one and has the list.
 */
import { openBrowserHost } from './browser-host.ts'

const host = openBrowserHost({}, process.argv[2]!)
await host.claim({ browser: { headless: { active: false } } })
await host.full()

let told = ''
function tell(): void {
  const { pids } = host.guard
  const text = JSON.stringify(pids)
  if (pids.length === 2 && text !== told) console.log((told = text))
}
tell()
setInterval(tell, 20)
process.stdin.resume().once('end', () => process.exit())
