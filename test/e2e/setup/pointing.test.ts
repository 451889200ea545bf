/**
 * Goal: on a screen with more pixels than CSS has, the mouse and pictures are where they should be.
 * Method: a page that notes where it is pressed, and points given in the page and in a picture of it.
 */
import t from 'tap'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

const page =
  'data:text/html,<meta name=viewport content="width=device-width"><title>-</title>' +
  '<body style="height:3000px"><input style="position:absolute;left:300px;top:400px;width:100px;height:20px;box-sizing:border-box">' +
  '<script>addEventListener("mousedown",(e)=>{document.title=e.target.localName+","+e.pageX+","+e.pageY})</script>'

const devices = ['iPad Pro 11', { width: 820, height: 1_000, scale: 1.5 }, 'Desktop Chrome HiDPI']

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    for (const device of devices) {
      const session = await openPageSession(host, {
        browser: { device, headless: { active }, evaluate: { active: true } },
      })
      t.teardown(session.end)
      const { run } = session
      const see = async (expression: string) => (await run('evaluate', { expression })).value
      const name = JSON.stringify(device)
      await run('navigate', { url: page })
      await run('mouse_click', { selector: 'input' })
      const pressed = () =>
        until('the page has seen the mouse', async () => {
          const title = String(await see('document.title'))
          return title !== '-' && title
        })
      t.match(await pressed(), /^input,350,(409|410)$/, `${name}: by selector`)
      await run('keyboard_type', { text: 'Hallo' })
      await until('the text is there', async () => {
        return (await see('document.querySelector("input").value')) === 'Hallo'
      })
      await see('void (document.title = "-")')

      const shot = await run('screenshot', { max_width: 400 })
      const { left, top, scale } = shot
      const width = Buffer.from(shot.image).readUInt32BE(16)
      t.ok(width <= 400 && width >= 398, `${name}: a picture of ${width} px`)
      // A point in the middle of the field, as a model would tell it from the picture.
      const perCss = width / Number(await see('document.documentElement.clientWidth'))
      const y410 = 410 - Number(await see('scrollY'))
      const at = { x: left + (350 * perCss) / scale, y: top + (y410 * perCss) / scale }
      await run('mouse_click', at)
      const [, x, y] = (await pressed()).split(',').map(Number)
      t.ok(Math.abs(x! - 350) <= 3 && Math.abs(y! - 410) <= 3, `${name}: by picture, ${x},${y}`)
    }
  })
}
