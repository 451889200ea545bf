/** What a profile adds to a creation and to an end, by its size. */
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { createSession } from '../../helpers/service/service.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'
import { startRawChromium } from '../lib/raw-chromium.ts'
import type { World } from '../lib/world.ts'

const bodyOf = (name: string, persist = false) => ({
  browser: { headless: { active: true }, profile: { name, persist } },
})

/** Stores that many MiB, as a site does that works offline. */
const store = (count: number) => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('files', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('files')
  opening.onsuccess = () => {
    const writing = opening.result.transaction('files', 'readwrite')
    for (let i = 0; i < ${count}; i++) {
      const bytes = new Uint8Array(2 ** 20)
      for (let at = 0; at < bytes.length; at += 65536) {
        crypto.getRandomValues(bytes.subarray(at, at + 65536))
      }
      writing.objectStore('files').put(bytes, i)
    }
    writing.oncomplete = resolve
    writing.onerror = reject
  }
})`

async function makeProfile({ service, page }: World, name: string, count: number) {
  const { id, cdp_url } = await createSession(service.rest, bodyOf(name, true))
  const browser = await connectPlaywright(cdp_url)
  const tab = browser.contexts()[0]!.pages()[0]!
  await tab.goto(page.url)
  await tab.evaluate(store(count))
  await browser.close()
  return id
}

export const profiles: Bench = {
  name: 'profiles',
  on: 'headless',
  async run(world) {
    const { rest } = world.service
    const ids: string[] = []
    const release = async () => {
      await Promise.all(ids.splice(0).map((id) => world.release(id)))
      await world.calm()
    }
    const figures: Figure[] = []
    for (const count of [1, 20, 100]) {
      const name = `of ${count} MiB`
      const made = await makeProfile(world, name, count)
      const [saved] = await timings(1, () => world.release(made))
      const samples: { raw: number[]; ours: number[] } = { raw: [], ours: [] }
      for (let turn = 0; turn < 6; turn++) {
        await release()
        samples.raw.push(...(await timings(1, async () => (await startRawChromium()).close())))
        await release()
        const create = async () => ids.push((await createSession(rest, bodyOf(name))).id)
        samples.ours.push(...(await timings(1, create)))
      }
      const [raw, ours] = [median(samples.raw), median(samples.ours)]
      figures.push({
        name: `create with a profile of ${count} MiB, p50`,
        ours: ms(ours),
        baseline: `${ms(raw)} (raw Chromium, boot to DevTools)`,
        ratio: ours / raw,
        target: count === 20 ? '≤ 700 ms' : 'none',
        met: count !== 20 || ours <= 700,
      })
      figures.push({
        name: `end with a profile of ${count} MiB, closed and saved`,
        ours: ms(saved!),
        target: 'none',
        met: true,
      })
      await release()
      if (count === 20) {
        const { id } = await createSession(rest, bodyOf(name, true))
        const [savedNow] = await timings(1, () =>
          rest('POST', `/v1/sessions/${id}/profile/save`, {}),
        )
        const target = { target: 'none', met: true }
        figures.push({ name: 'save of a running browser, 20 MiB', ours: ms(savedNow!), ...target })
        await world.release(id)
      }
      await rest('DELETE', `/v1/profiles/${encodeURIComponent(name)}`)
    }
    const plain = await timings(8, async () => ids.push((await world.create()).id), release)
    await release()
    figures.push({
      name: 'create without one, p50',
      ours: ms(median(plain)),
      target: 'none',
      met: true,
    })
    return figures
  },
}
