/**
 * Goal: a live view of which a file did not arrive says so and offers to load again, which works
 * once the file is there. Method: the page in a real browser that is refused one of its files.
 */
import t from 'tap'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { liveState } from '../../helpers/gateway/live/live-page.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

t.setTimeout(240_000)

const service = await startService({ env: { POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const session = await createSession(service.rest, headless)
const browser = await launchChromium()
t.teardown(() => browser.close())

for (const [what, file] of [
  ['the first module', '**/web/live/main.js'],
  ['a module that another imports', '**/web/live/tools/tabs.js'],
  ['a module of noVNC', '**/novnc/core/rfb.js'],
] as const) {
  await t.test(what, async (t) => {
    const context = await browser.newContext()
    const view = await context.newPage()
    await view.route(file, (route) => route.abort())
    await view.goto(session.live_view_url)
    await liveState(view, 'unloaded')
    t.equal(await view.textContent('#notice-title'), 'The live view could not be loaded')
    t.ok(await view.isHidden('.spinner'))
    await isAccessible(t, view, what)
    await view.unroute(file)
    await view.getByRole('button', { name: 'Reload' }).click()
    await liveState(view, 'connected')
    t.ok(await view.isHidden('#retry'))
    await context.close()
  })
}
