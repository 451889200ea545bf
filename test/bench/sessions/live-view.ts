/** An animated page as a viewer receives it: frames per second and their cost. */
import { setTimeout as wait } from 'node:timers/promises'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { cpuMs, descendantsOf } from '../../helpers/lib/processes.ts'
import { createSession, headless, type SessionJson } from '../../helpers/service/service.ts'
import { type Bench, type Figure } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const measuredMs = 5_000

const animated = (
  size: string,
) => `<body style="margin:0"><div id=box style="${size}"></div><script>
  let painted = 0
  const paint = () => {
    box.style.background = 'hsl(' + (painted++ * 7) % 360 + ',80%,50%)'
    requestAnimationFrame(paint)
  }
  paint()
</script>`

export const liveView: Bench = {
  name: 'live-view',
  on: 'headful',
  async run(world) {
    await world.calm()
    return [
      await watch(world, 'a desktop, 200×200 px change', {}, 'width:200px;height:200px'),
      await watch(world, 'a desktop, all of it changes', {}, 'width:100vw;height:100vh'),
      await watch(
        world,
        'a headless page, all of it changes',
        headless,
        'width:100vw;height:100vh',
      ),
    ]
  },
}

async function watch(world: World, what: string, body: object, size: string): Promise<Figure> {
  const session = await createSession(world.service.rest, body)
  const client = await connectPlaywright(session.cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  await page.setContent(animated(size))
  const viewer = body === headless ? await watchPage(session) : await watchDesktop(session)
  await wait(1_000)
  const programs = () => cpuOf(world)
  const [frames, before, painted] = [viewer.frames(), programs(), await page.evaluate('painted')]
  await wait(measuredMs)
  const seconds = measuredMs / 1_000
  const perSecond = (viewer.frames() - frames) / seconds
  const after = programs()
  const made = ((await page.evaluate<number>('painted')) - (painted as number)) / seconds
  viewer.close()
  await client.close()
  await world.release(session.id)
  const cpu = Object.entries(after).map(([name, ms]) => {
    return `${name} ${Math.round(((ms - before[name]!) / measuredMs) * 100)} %`
  })
  return {
    name: `live view of ${what}, frames/s`,
    ours: `${perSecond.toFixed(0)} (${cpu.join(', ')})`,
    baseline: `${made.toFixed(0)} (painted by the page)`,
    ratio: perSecond / made,
    target: '–',
    met: true,
  }
}

/** Processor time of the processes between the page and its viewer. */
function cpuOf({ service }: World): Record<string, number> {
  const all = descendantsOf(service.pid)
  const used = (name: string) =>
    all
      .filter(({ command }) => command.split(' ')[0]!.endsWith(name))
      .reduce((sum, { pid }) => sum + cpuMs(pid), 0)
  return { x11vnc: used('x11vnc'), Xvfb: used('Xvfb'), gateway: cpuMs(service.pidOf('gateway')) }
}

interface Viewer {
  frames(): number
  close(): void
}

async function watchPage({ live_view_url }: SessionJson): Promise<Viewer> {
  const socket = await LiveSocket.open(live_view_url)
  let frames = 0
  socket.onShown = () => {
    frames++
    socket.tell({ type: 'drawn' })
  }
  return { frames: () => frames, close: () => socket.close() }
}

async function watchDesktop({ live_view_url }: SessionJson): Promise<Viewer> {
  const socket = await LiveSocket.open(live_view_url)
  const screen = await socket.greet()
  let frames = 0
  const updates = new UpdateReader(() => {
    frames++
    socket.ask(screen, true)
  })
  socket.onShown = (data) => updates.push(data)
  socket.ask(screen, false)
  return { frames: () => frames, close: () => socket.close() }
}

/** Finds where updates of raw rectangles end, however they are split into messages. */
class UpdateReader {
  readonly #onUpdate: () => void
  #head = Buffer.alloc(0)
  #skip = 0
  #rectangles = 0

  constructor(onUpdate: () => void) {
    this.#onUpdate = onUpdate
  }

  push(data: Buffer): void {
    let rest = data
    for (;;) {
      const skipped = Math.min(this.#skip, rest.length)
      this.#skip -= skipped
      rest = rest.subarray(skipped)
      if (this.#skip > 0 || rest.length === 0) return
      const wanted = this.#rectangles === 0 ? 4 : 12
      const taken = Math.min(wanted - this.#head.length, rest.length)
      this.#head = Buffer.concat([this.#head, rest.subarray(0, taken)])
      rest = rest.subarray(taken)
      if (this.#head.length < wanted) return
      this.#read(this.#head)
      this.#head = Buffer.alloc(0)
    }
  }

  #read(head: Buffer): void {
    if (head.length === 4) {
      this.#rectangles = head.readUInt16BE(2)
      return
    }
    this.#skip = head.readUInt16BE(4) * head.readUInt16BE(6) * 4
    if (--this.#rectangles === 0) this.#onUpdate()
  }
}
