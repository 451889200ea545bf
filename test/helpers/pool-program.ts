/**
 * A program that holds one warm headless and one claimed headful browser in the folder it is given, until it or its
 * starter is killed.
 */
import { openBrowserHost } from './browser-host.ts'

const host = openBrowserHost({}, process.argv[2]!)
await host.claim({ browser: { headless: { active: false } } })
await host.full()
console.log(host.guard.pid)
process.stdin.resume().once('end', () => process.exit())
