/**
 * Goal: every name of Playwright's list of devices is known here, with about its size.
 * Method: the list of the installed library.
 */
import { devices as theirs } from 'playwright-core'
import t from 'tap'
import { devices } from '../../../../proto/session/setup/devices.ts'

t.test('every device of Playwright’s is known', async (t) => {
  const unknown = Object.keys(theirs).filter((name) => !devices.has(name))
  t.strictSame(unknown, [])
})

t.test('a device is as wide as theirs, and of the same kind', async (t) => {
  for (const [name, { isMobile, hasTouch, viewport }] of Object.entries(theirs)) {
    const ours = devices.get(name)!
    t.equal(ours.mobile, isMobile, name)
    t.equal(ours.touch, hasTouch, name)
    if (name.includes('landscape')) continue
    t.ok(Math.abs(ours.width - viewport.width) <= 64, `${name}: ${ours.width} px`)
  }
})

t.test('each has a user agent that fits it', async (t) => {
  for (const [name, { userAgent, width, height }] of devices) {
    t.match(userAgent, /^Mozilla\/5\.0 \(/, name)
    t.ok(width >= 200 && height >= 200, 'as large as sessions may be')
    if (name.startsWith('iPhone')) t.match(userAgent, 'iPhone')
    if (name.startsWith('Pixel')) t.match(userAgent, 'Android')
  }
})
